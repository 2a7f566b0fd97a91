/* An engine for Othello in C. It makes the move that turns the most discs: improve choose(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char START[] = "---------------------------OX------XO---------------------------";
static char board[65];  /* square 0 is a1: 'X' (Black), 'O' or '-' */
static char side;       /* who is to move, 'X' or 'O' */

/* Return how many discs a move turns, 0 if it is illegal, and make it if wanted. */
static int turn(int square, int make) {
    const char other = side == 'X' ? 'O' : 'X';
    int total = 0;
    if (board[square] != '-') return 0;
    for (int direction = 0; direction < 9; direction++) {
        const int dx = direction % 3 - 1, dy = direction / 3 - 1;
        int x = square % 8 + dx, y = square / 8 + dy, count = 0;
        for (; x >= 0 && x < 8 && y >= 0 && y < 8 && board[8 * y + x] == other; x += dx, y += dy) count++;
        if (x < 0 || x > 7 || y < 0 || y > 7 || board[8 * y + x] != side) continue;
        total += count;
        while (make && count--) board[8 * (y -= dy) + (x -= dx)] = side;
    }
    if (make) board[square] = side;
    return total;
}

/* Carry out "position startpos|fen SQUARES SIDE [moves 4 6 4 4 ...]": column, and row from the bottom. */
static void set_up(char *word) {
    const int fen = word && !strcmp(word, "fen");
    const char *squares = fen ? strtok(NULL, " \r\n") : START;
    const char *mover = fen ? strtok(NULL, " \r\n") : "X";
    if (!squares || !mover || strlen(squares) != 64) return;
    strcpy(board, squares);
    side = *mover;
    strtok(NULL, " \r\n");  /* the word "moves" */
    while ((word = strtok(NULL, " \r\n"))) {
        char *row = strcmp(word, "pass") ? strtok(NULL, " \r\n") : NULL;
        const int square = row ? 8 * (8 - atoi(row)) + atoi(word) - 1 : -1;
        if (square >= 0 && square < 64) turn(square, 1);
        side = side == 'X' ? 'O' : 'X';
    }
}

/* Return the square to play, -1 for a pass; `asked` are the only moves to consider, if it is not NULL. */
static int choose(const char *asked) {
    int best = -1;
    for (int square = 0; square < 64; square++) {
        char name[8];
        sprintf(name, "%d %d", square % 8 + 1, 8 - square / 8);
        if (turn(square, 0) && (!asked || strstr(asked, name)) && (best < 0 || turn(square, 0) > turn(best, 0)))
            best = square;
    }
    return best;
}

int main(void) {
    static char line[1 << 22], words[1 << 22];
    int held = 0;  /* `go infinite` is answered at `stop` */
    strcpy(board, START), side = 'X';
    while (fgets(line, sizeof line, stdin)) {
        const char *asked = strstr(line, "searchmoves");
        const int infinite = strstr(line, "infinite") != NULL;
        char *word = strtok(strcpy(words, line), " \r\n");
        if (!word) continue;
        if (!strcmp(word, "uci")) puts("id name First engine\nuciok");
        else if (!strcmp(word, "isready")) puts("readyok");
        else if (!strcmp(word, "position")) set_up(strtok(NULL, " \r\n"));
        else if (!strcmp(word, "quit")) break;
        else if (!strcmp(word, "go") || (held && !strcmp(word, "stop"))) {
            const int square = choose(asked);
            held = infinite;
            if (held) continue;
            if (square < 0) puts("bestmove pass");
            else printf("bestmove %d %d\n", square % 8 + 1, 8 - square / 8);
        }
        fflush(stdout);
    }
}
