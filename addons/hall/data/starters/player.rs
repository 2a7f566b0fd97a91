// A starter program that plays Othello with random moves. player.py explains what it reads and writes.

use std::io::{stdin, stdout, Write};
use std::time::{SystemTime, UNIX_EPOCH};

type Move = (usize, usize); // column from the left and row from the bottom, 1 to 8

fn other(color: u8) -> u8 {
    if color == b'B' { b'W' } else { b'B' }
}

struct Board {
    squares: [[u8; 10]; 10], // b'B', b'W', or 0 if empty; the border stays empty
}

impl Board {
    fn new() -> Board {
        let mut squares = [[0; 10]; 10];
        (squares[4][5], squares[5][4]) = (b'W', b'W');
        (squares[4][4], squares[5][5]) = (b'B', b'B');
        Board { squares }
    }

    /// Return the discs that a move flips: none if it is illegal.
    fn turned(&self, color: u8, (x, y): Move) -> Vec<Move> {
        let mut found = Vec::new();
        if self.squares[x][y] != 0 {
            return found;
        }
        for (dx, dy) in [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)] {
            let step = |(a, b): Move| ((a as i32 + dx) as usize, (b as i32 + dy) as usize);
            let (mut line, mut at) = (Vec::new(), step((x, y)));
            while self.squares[at.0][at.1] == other(color) {
                line.push(at);
                at = step(at);
            }
            if self.squares[at.0][at.1] == color {
                found.extend(line);
            }
        }
        found
    }

    fn legal_moves(&self, color: u8) -> Vec<Move> {
        let squares = (1..=8).flat_map(|x| (1..=8).map(move |y| (x, y)));
        squares.filter(|&each| !self.turned(color, each).is_empty()).collect()
    }

    fn play(&mut self, color: u8, played: Move) {
        for (x, y) in self.turned(color, played) {
            self.squares[x][y] = color;
        }
        self.squares[played.0][played.1] = color;
    }
}

/// Return the move to make. Improve this to play better than chance.
fn choose(_board: &Board, _color: u8, moves: &[Move], random: &mut u64) -> Move {
    *random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    moves[(*random >> 33) as usize % moves.len()]
}

fn main() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    let mut random = std::env::args().nth(1).map_or(now, |seed| seed.parse().unwrap());
    let mut board = Board::new();
    let mut side = b'B';
    let mut lines = stdin().lines();
    let line_one = lines.next().unwrap().unwrap();
    let words: Vec<&str> = line_one.split_whitespace().collect();
    let color = words[1].as_bytes()[0];
    for square in words.get(5).unwrap_or(&"").as_bytes().chunks(2) {
        board.play(side, ((square[0] - b'a') as usize + 1, 9 - (square[1] - b'0') as usize));
        side = other(side);
    }
    loop {
        if side == color {
            let moves = board.legal_moves(color);
            if moves.is_empty() {
                println!("pass");
            } else {
                let (x, y) = choose(&board, color, &moves, &mut random);
                board.play(color, (x, y));
                println!("{x} {y}");
            }
            stdout().flush().unwrap();
        } else {
            let Some(Ok(line)) = lines.next() else { return }; // the game is over
            let numbers: Vec<usize> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            if let [x, y] = numbers[..] {
                board.play(side, (x, y));
            }
        }
        side = other(side);
    }
}
