// A starter program that plays Othello with random moves. player.py explains what it reads and writes.
package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"time"
)

// Move is a column from the left and a row from the bottom, 1 to 8.
type Move [2]int

// Board holds 'B', 'W', or 0 if a square is empty. The border stays empty.
type Board [10][10]byte

func other(color byte) byte {
	return 'B' + 'W' - color
}

// turned returns the discs that a move flips: none if it is illegal.
func (board *Board) turned(color byte, move Move) (found []Move) {
	if board[move[0]][move[1]] != 0 {
		return nil
	}
	for dx := -1; dx <= 1; dx++ {
		for dy := -1; dy <= 1; dy++ {
			line := []Move{}
			x, y := move[0]+dx, move[1]+dy
			for ; board[x][y] == other(color); x, y = x+dx, y+dy {
				line = append(line, Move{x, y})
			}
			if board[x][y] == color {
				found = append(found, line...)
			}
		}
	}
	return found
}

func (board *Board) legalMoves(color byte) (found []Move) {
	for x := 1; x <= 8; x++ {
		for y := 1; y <= 8; y++ {
			if len(board.turned(color, Move{x, y})) > 0 {
				found = append(found, Move{x, y})
			}
		}
	}
	return found
}

func (board *Board) play(color byte, move Move) {
	for _, each := range append(board.turned(color, move), move) {
		board[each[0]][each[1]] = color
	}
}

// choose returns the move to make. Improve this to play better than chance.
func choose(board *Board, color byte, moves []Move) Move {
	return moves[rand.Intn(len(moves))]
}

func main() {
	seed := time.Now().UnixNano()
	if len(os.Args) > 1 {
		seed, _ = strconv.ParseInt(os.Args[1], 10, 64)
	}
	rand.Seed(seed)
	board := &Board{}
	board[4][5], board[5][4], board[4][4], board[5][5] = 'W', 'W', 'B', 'B'
	input := bufio.NewScanner(os.Stdin)
	input.Scan()
	var word, color, opening string
	var depth, perMove, perGame float64
	fmt.Sscan(input.Text(), &word, &color, &depth, &perMove, &perGame, &opening)
	side := byte('B')
	for at := 0; at < len(opening); at += 2 {
		board.play(side, Move{int(opening[at]-'a') + 1, 9 - int(opening[at+1]-'0')})
		side = other(side)
	}
	for ; ; side = other(side) {
		if side != color[0] {
			if !input.Scan() {
				return // the game is over
			}
			var move Move
			if count, _ := fmt.Sscan(input.Text(), &move[0], &move[1]); count == 2 {
				board.play(side, move)
			}
		} else if moves := board.legalMoves(side); len(moves) == 0 {
			fmt.Println("pass")
		} else {
			move := choose(board, side, moves)
			board.play(side, move)
			fmt.Println(move[0], move[1])
		}
	}
}
