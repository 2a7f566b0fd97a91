// An engine for Othello in Java. It plays the move that flips the most discs: improve `choose`.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

public class FirstEngine {
    private static char[] board; // square 0 is a1: 'X' (Black), 'O' or '-'
    private static char side; // who is to move, 'X' or 'O'

    /** Return how many discs a move flips, 0 if it is illegal; make it if `make` is true. */
    private static int turn(int square, boolean make) {
        char other = side == 'X' ? 'O' : 'X';
        int total = 0;
        if (board[square] != '-') return 0;
        for (int direction = 0; direction < 9; direction++) {
            int dx = direction % 3 - 1, dy = direction / 3 - 1, x = square % 8 + dx, y = square / 8 + dy, count = 0;
            for (; at(x, y) == other; x += dx, y += dy) count++;
            if (at(x, y) != side) continue;
            total += count;
            while (make && count-- > 0) board[8 * (y -= dy) + (x -= dx)] = side;
        }
        if (make) board[square] = side;
        return total;
    }

    private static char at(int x, int y) {
        return x < 0 || x > 7 || y < 0 || y > 7 ? ' ' : board[8 * y + x];
    }

    /** Execute "position startpos|fen SQUARES SIDE [moves 4 6 4 4 ...]": column, and row from the bottom. */
    private static void setUp(String[] words) {
        boolean isFen = words[1].equals("fen");
        board = (isFen ? words[2] : "-".repeat(27) + "OX------XO" + "-".repeat(27)).toCharArray();
        side = isFen ? words[3].charAt(0) : 'X';
        for (int i = isFen ? 5 : 3; i < words.length; i++, side = side == 'X' ? 'O' : 'X')
            if (!words[i].equals("pass"))
                turn(Integer.parseInt(words[i]) - 1 + 8 * (8 - Integer.parseInt(words[++i])), true);
    }

    /** Return the move to make; `searchmoves` in the line gives the only moves to consider. */
    private static String choose(String line) {
        int best = -1;
        for (int square = 0; square < 64; square++) {
            boolean allowed = !line.contains("searchmoves") || line.contains(name(square));
            if (allowed && turn(square, false) > (best < 0 ? 0 : turn(best, false))) best = square;
        }
        return best < 0 ? "pass" : name(best);
    }

    private static String name(int square) {
        return (square % 8 + 1) + " " + (8 - square / 8);
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        boolean held = false; // `go infinite` is answered at `stop`
        setUp(new String[] {"position", "startpos"});
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.trim().split("\\s+");
            if (words[0].equals("uci")) System.out.println("id name First engine\nuciok");
            else if (words[0].equals("isready")) System.out.println("readyok");
            else if (words[0].equals("position")) {
                try {
                    setUp(words);
                } catch (RuntimeException error) {
                    System.out.println("info string error: position: " + error.getMessage());
                }
            }
            else if (words[0].equals("quit")) return;
            else if (words[0].equals("go") || held && words[0].equals("stop")) {
                held = line.contains("infinite");
                if (!held) System.out.println("bestmove " + choose(line));
            }
        }
    }
}
