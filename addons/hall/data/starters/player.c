/* A starter program that plays Othello with random moves. player.py explains what it reads and writes. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char board[10][10]; /* by column from the left and row from the bottom, 1 to 8: 'B', 'W', or 0 if empty */

static char other(char color)
{
    return color == 'B' ? 'W' : 'B';
}

/* Return how many discs a move flips: 0 if it is illegal. If `makes_it`, also make the move. */
static int turned(char color, int x, int y, int makes_it)
{
    int found = 0;
    if (board[x][y])
        return 0;
    for (int dx = -1; dx <= 1; dx++)
        for (int dy = -1; dy <= 1; dy++) {
            int count = 0, a = x + dx, b = y + dy;
            for (; board[a][b] == other(color); a += dx, b += dy)
                count++;
            if (board[a][b] != color)
                continue;
            found += count;
            for (a = x + dx, b = y + dy; makes_it && count > 0; a += dx, b += dy, count--)
                board[a][b] = color;
        }
    if (makes_it)
        board[x][y] = color;
    return found;
}

/* Return which of `count` moves to make. Improve this to play better than chance. */
static int choose(char color, int moves[][2], int count)
{
    (void)color, (void)moves;
    return rand() % count;
}

int main(int argc, char **argv)
{
    char line[200], color, side = 'B', opening[130] = "";
    int depth;
    double per_move, per_game;
    srand(argc > 1 ? (unsigned)atoi(argv[1]) : (unsigned)time(NULL));
    board[4][5] = board[5][4] = 'W';
    board[4][4] = board[5][5] = 'B';
    if (!fgets(line, sizeof line, stdin))
        return 1;
    sscanf(line, "game %c %d %lf %lf %129s", &color, &depth, &per_move, &per_game, opening);
    for (char *at = opening; *at; at += 2, side = other(side))
        turned(side, at[0] - 'a' + 1, 9 - (at[1] - '0'), 1);
    for (;; side = other(side)) {
        if (side == color) {
            int moves[64][2], count = 0;
            for (int x = 1; x <= 8; x++)
                for (int y = 1; y <= 8; y++)
                    if (turned(color, x, y, 0)) {
                        moves[count][0] = x;
                        moves[count++][1] = y;
                    }
            if (count) {
                int *move = moves[choose(color, moves, count)];
                turned(color, move[0], move[1], 1);
                printf("%d %d\n", move[0], move[1]);
            } else
                printf("pass\n");
            fflush(stdout);
        } else {
            int x, y;
            if (!fgets(line, sizeof line, stdin))
                return 0; /* the game is over */
            if (sscanf(line, "%d %d", &x, &y) == 2)
                turned(side, x, y, 1);
        }
    }
}
