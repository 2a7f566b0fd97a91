// A starter program that plays Othello with random moves. player.py explains what it reads and writes.

#include <array>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using Move = std::pair<int, int>;  // column from the left and row from the bottom, 1 to 8

char other(char color) { return color == 'B' ? 'W' : 'B'; }

class Board {
public:
    Board() {
        squares[4][5] = squares[5][4] = 'W';
        squares[4][4] = squares[5][5] = 'B';
    }

    // Return the discs that a move flips: none if it is illegal.
    std::vector<Move> turned(char color, Move move) const {
        std::vector<Move> found;
        if (squares[move.first][move.second]) return found;
        for (int dx = -1; dx <= 1; dx++)
            for (int dy = -1; dy <= 1; dy++) {
                std::vector<Move> line;
                int x = move.first + dx, y = move.second + dy;
                for (; squares[x][y] == other(color); x += dx, y += dy) line.push_back({x, y});
                if (squares[x][y] == color) found.insert(found.end(), line.begin(), line.end());
            }
        return found;
    }

    std::vector<Move> legal_moves(char color) const {
        std::vector<Move> found;
        for (int x = 1; x <= 8; x++)
            for (int y = 1; y <= 8; y++)
                if (!turned(color, {x, y}).empty()) found.push_back({x, y});
        return found;
    }

    void play(char color, Move move) {
        for (auto [x, y] : turned(color, move)) squares[x][y] = color;
        squares[move.first][move.second] = color;
    }

private:
    std::array<std::array<char, 10>, 10> squares{};  // 'B', 'W', or 0 if empty; the border stays empty
};

// Return the move to make. Improve this to play better than chance.
Move choose(const Board &board, char color, const std::vector<Move> &moves, std::mt19937 &random) {
    return moves[random() % moves.size()];
}

int main(int argc, char **argv) {
    std::mt19937 random(argc > 1 ? std::stoul(argv[1]) : std::random_device{}());
    Board board;
    std::string line, word, opening;
    char color = 'B', side = 'B';
    double depth, per_move, per_game;
    std::getline(std::cin, line);
    std::istringstream(line) >> word >> color >> depth >> per_move >> per_game >> opening;
    for (std::size_t at = 0; at < opening.size(); at += 2, side = other(side))
        board.play(side, {opening[at] - 'a' + 1, 9 - (opening[at + 1] - '0')});
    for (;; side = other(side)) {
        if (side == color) {
            auto moves = board.legal_moves(color);
            if (moves.empty()) {
                std::cout << "pass" << std::endl;
                continue;
            }
            Move move = choose(board, color, moves, random);
            board.play(color, move);
            std::cout << move.first << ' ' << move.second << std::endl;
        } else {
            if (!std::getline(std::cin, line)) return 0;  // the game is over
            Move move;
            if (std::istringstream(line) >> move.first >> move.second) board.play(side, move);
        }
    }
}
