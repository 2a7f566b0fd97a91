// A starter program that plays Othello with random moves. player.py explains what it reads and writes.

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Scanner;

public class Player {
    // By column from the left and row from the bottom, 1 to 8: 'B', 'W', or 0 if empty. The border stays empty.
    private final char[][] board = new char[10][10];
    private final Random random;

    Player(Random random) {
        this.random = random;
        board[4][5] = board[5][4] = 'W';
        board[4][4] = board[5][5] = 'B';
    }

    static char other(char color) {
        return color == 'B' ? 'W' : 'B';
    }

    /** Return the discs that a move flips: none if it is illegal. */
    List<int[]> turned(char color, int x, int y) {
        List<int[]> found = new ArrayList<>();
        if (board[x][y] != 0) return found;
        for (int dx = -1; dx <= 1; dx++)
            for (int dy = -1; dy <= 1; dy++) {
                List<int[]> line = new ArrayList<>();
                int a = x + dx, b = y + dy;
                for (; board[a][b] == other(color); a += dx, b += dy) line.add(new int[] {a, b});
                if (board[a][b] == color) found.addAll(line);
            }
        return found;
    }

    List<int[]> legalMoves(char color) {
        List<int[]> found = new ArrayList<>();
        for (int x = 1; x <= 8; x++)
            for (int y = 1; y <= 8; y++)
                if (!turned(color, x, y).isEmpty()) found.add(new int[] {x, y});
        return found;
    }

    void play(char color, int x, int y) {
        for (int[] each : turned(color, x, y)) board[each[0]][each[1]] = color;
        board[x][y] = color;
    }

    /** Return the move to make. Improve this to play better than chance. */
    int[] choose(char color, List<int[]> moves) {
        return moves.get(random.nextInt(moves.size()));
    }

    public static void main(String[] arguments) {
        Player player = new Player(arguments.length > 0 ? new Random(Long.parseLong(arguments[0])) : new Random());
        Scanner input = new Scanner(System.in);
        String[] lineOne = input.nextLine().split(" ");
        char color = lineOne[1].charAt(0);
        char side = 'B';
        String opening = lineOne.length > 5 ? lineOne[5] : "";
        for (int at = 0; at < opening.length(); at += 2, side = other(side))
            player.play(side, opening.charAt(at) - 'a' + 1, 9 - (opening.charAt(at + 1) - '0'));
        for (;; side = other(side)) {
            if (side == color) {
                List<int[]> moves = player.legalMoves(color);
                int[] move = moves.isEmpty() ? null : player.choose(color, moves);
                if (move != null) player.play(color, move[0], move[1]);
                System.out.println(move == null ? "pass" : move[0] + " " + move[1]);
                System.out.flush();
            } else {
                if (!input.hasNextLine()) return; // the game is over
                String[] words = input.nextLine().split(" ");
                if (words.length == 2) player.play(side, Integer.parseInt(words[0]), Integer.parseInt(words[1]));
            }
        }
    }
}
