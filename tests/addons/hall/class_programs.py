"""Programs that people hand in to a class: good ones, wrong ones, and such as set out to harm."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import quietmove.addons.hall

TEMPLATE = (Path(quietmove.addons.hall.__file__).parent / "data" / "player.py").read_text()
CHOICE = "return random.choice(moves)"
ANSWER = 'print(f"{move[0]} {move[1]}" if move else "pass", flush=True)'
GREEDY = "return max(moves, key=lambda move: len(turned(board, color, move)))"
CORNERS = "return max(moves, key=lambda move: (move[0] in (1, 8)) + (move[1] in (1, 8)))"


def random_player(seed: object) -> str:
    """Another seed gives another program."""
    return TEMPLATE.replace(CHOICE, f"return random.Random(f'{seed} {{sorted(board)}}').choice(moves)")


GOOD = {
    "random": random_player(1),
    "greedy": TEMPLATE.replace(CHOICE, GREEDY),
    "corners": TEMPLATE.replace(CHOICE, CORNERS),
}
# Each program's fault, and the check that it fails.
WRONG = {
    "slow": (TEMPLATE.replace(CHOICE, f"import time; time.sleep(2); {CHOICE}"), "whole-games"),
    "late": (TEMPLATE.replace(CHOICE, f"import time; time.sleep(0.36); {CHOICE}"), "whole-games"),
    "illegal": (TEMPLATE.replace(CHOICE, f"{CHOICE} if len(board) < 20 else (9, 9)"), "whole-games"),
    "crashing": (TEMPLATE.replace(CHOICE, f"{CHOICE} if len(board) < 20 else board[0]"), "whole-games"),
    "unflushed": (TEMPLATE.replace(", flush=True", ""), "first-move"),
    "letters": (
        TEMPLATE.replace(ANSWER, "print('abcdefgh'[move[0] - 1] + str(9 - move[1]), flush=True)"),
        "first-move",
    ),
    "chatty": (TEMPLATE.replace(ANSWER, f"{ANSWER}; print('my best move', flush=True)"), "only-moves"),
    "syntax": ("def main(:\n", "first-move"),
}

# Each program reports its successful attacks on standard error, then exits with status 1.
HOSTILE = {
    "files": """
import os
found = []
for top in set(os.listdir('/')) - {'proc', 'sys', 'usr', 'dev', 'bin', 'sbin', 'lib', 'lib32', 'lib64'}:
    for folder, _, names in os.walk(f'/{top}'):
        wanted = names if '/entries/' in folder else {'hall.sqlite', 'class.toml'} & set(names)
        found += [name for name in wanted if 'OWN' not in open(f'{folder}/{name}', errors='replace').read()]
for path in ('../../../hall.sqlite', '../../1/source/player.py', '/etc/passwd', '/etc/shadow', '/var/lib'):
    try:
        found.append(os.listdir(path) if os.path.isdir(path) else open(path, 'rb').read(20))
    except OSError:
        pass
say('read', [each for each in found if each])
""",
    "write": """
import os
done = []
for path in ('player.py', 'new', '/usr/new', '/etc/new', '../new', '/new'):
    try:
        open(path, 'w').write('x')
        done.append(path)
    except OSError:
        pass
say('wrote', done)
""",
    "network": """
import socket
done = []
for family, address in ((socket.AF_INET, ('127.0.0.1', PORT)), (socket.AF_INET, ('1.1.1.1', 53))):
    try:
        socket.socket(family).connect(address)
        done.append(address)
    except OSError:
        pass
say('connected to', done)
""",
    "others": """
import os, signal
done = []
for name in os.listdir('/proc'):
    if name.isdigit() and int(name) not in (1, os.getpid(), os.getppid()):
        try:
            os.kill(int(name), signal.SIGKILL)
            done.append(name)
        except OSError:
            pass
try:
    os.sched_setaffinity(0, range(os.cpu_count()))
    done.append('processors')
except OSError:
    pass
say('reached', done)
""",
    "secrets": """
import os
say('knows', [name for name in os.environ if name not in ('HOME', 'PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'PWD')])
""",
    "fork-bomb": """
import os, time
try:
    while True:
        if os.fork() == 0:
            time.sleep(1000)
except OSError:
    say('started', [])
""",
    "memory": "held = []\nwhile True: held.append(b'x' * 10_000_000)",
    "files-in-memory": """
import os
file = open(os.environ['HOME'] + '/x', 'wb')
while True: file.write(b'x' * 1_000_000)
""",
    "flood": "import sys\nwhile True: sys.stdout.write('4 6 ' * 1000)",
    "flood-of-errors": "import sys\nfor _ in range(20000): sys.stderr.write('x' * 1000)\nsay('wrote', [])",
    "sleeper": "import time\ntime.sleep(10000)",
    "outlives": """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(10000)
    os._exit(0)
say('left', [])
""",
}
SAY = "import sys\n# OWN\ndef say(*words):\n    print(*words, file=sys.stderr, flush=True)\n    sys.exit(1)\n"


def hostile(name: str, port: int) -> str:
    """Return a program that does harm as soon as it is started.

    :param port: one of this machine that somebody listens to.
    """
    return SAY + HOSTILE[name].replace("PORT", str(port))


# Programs that solve the task "nim", by the name of their file.
NIM = {
    "player.py": """
import functools, operator
for line in open(0):
    print(functools.reduce(operator.xor, map(int, line[4:].split(","))))
""",
    "player.c": r"""
#include <stdio.h>
int main(void) {
    int letter, pile = 0, sum = 0;
    while ((letter = getchar()) != EOF) {
        if (letter >= '0' && letter <= '9') pile = 10 * pile + letter - '0';
        else { sum ^= pile; pile = 0; }
        if (letter == '\n') { printf("%d\n", sum); sum = 0; }
    }
    return 0;
}
""",
    "Player.java": """
import java.util.Scanner;
public class Player {
    public static void main(String[] words) {
        Scanner input = new Scanner(System.in);
        while (input.hasNextLine()) {
            int sum = 0;
            for (String pile : input.nextLine().substring(4).split(",")) sum ^= Integer.parseInt(pile);
            System.out.println(sum);
        }
    }
}
""",
    "player.rs": """
fn main() {
    for line in std::io::stdin().lines() {
        let piles = line.unwrap()[4..].split(',').map(|pile| pile.parse().unwrap()).collect::<Vec<u32>>();
        println!("{}", piles.iter().fold(0, |sum, pile| sum ^ pile));
    }
}
""",
    "player.js": """
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  console.log(line.slice(4).split(",").reduce((sum, pile) => sum ^ pile, 0));
});
""",
}
NIM["player.cpp"] = NIM["player.c"]


def packed(files: Mapping[str, str | bytes]) -> bytes:
    """Return a zip with these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


SEARCHER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { DEPTH = {depth}, CORNER = {corner}, MOBILITY = {mobility}, DISC = {disc}, NOISE = {noise} };
static const int steps[8] = {-11, -10, -9, -1, 1, 9, 10, 11};
static int turned(char *board, int own, int square, int make) {
    int count = 0;
    if (board[square]) return 0;
    for (int i = 0; i < 8; i++) {
        int end = square + steps[i];
        while (board[end] == 3 - own) end += steps[i];
        if (board[end] != own) continue;
        for (end -= steps[i]; end != square; end -= steps[i], count++) if (make) board[end] = own;
    }
    if (make && count) board[square] = own;
    return count;
}
static int mobility(char *board, int own) {
    int count = 0;
    for (int square = 11; square < 89; square++) count += turned(board, own, square, 0) > 0;
    return count;
}
static int value(char *board, int own) {
    static const int corners[4] = {11, 18, 81, 88};
    unsigned noise = 17;
    int discs = 0, sum = 0;
    for (int i = 0; i < 4; i++) sum += CORNER * ((board[corners[i]] == own) - (board[corners[i]] == 3 - own));
    for (int square = 11; square < 89; square++) {
        discs += (board[square] == own) - (board[square] == 3 - own);
        noise = noise * 31 + board[square];
    }
    if (MOBILITY) sum += MOBILITY * (mobility(board, own) - mobility(board, 3 - own));
    return sum + DISC * discs + (NOISE ? (int) (noise / 7 % (2 * NOISE + 1)) - NOISE : 0);
}
static int search(char *board, int own, int depth, int alpha, int beta, int passed, int *best) {
    int any = 0;
    if (!depth) return value(board, own);
    for (int square = 11; square < 89; square++) {
        char next[100];
        int found;
        if (!turned(board, own, square, 0)) continue;
        memcpy(next, board, 100);
        turned(next, own, square, 1);
        found = -search(next, 3 - own, depth - 1, -beta, -alpha, 0, 0);
        if (best && (!any || found > alpha)) *best = square;
        any = 1;
        if (found > alpha) alpha = found;
        if (alpha >= beta) break;
    }
    if (any) return alpha;
    return passed ? value(board, own) : -search(board, 3 - own, depth - 1, -beta, -alpha, 1, 0);
}
int main(void) {
    char line[200], board[100], color, opening[150] = "";
    int own, side = 1, x, y;
    memset(board, 3, 100);
    for (y = 1; y < 9; y++) memset(board + 10 * y + 1, 0, 8);
    board[54] = board[45] = 2; board[44] = board[55] = 1;
    if (!fgets(line, sizeof line, stdin)) return 1;
    sscanf(line, "game %c %*s %*s %*s %149s", &color, opening);
    own = color == 'B' ? 1 : 2;
    for (char *at = opening; at[0] && at[1]; at += 2, side = 3 - side)
        turned(board, side, at[0] - 'a' + 1 + 10 * (9 - (at[1] - '0')), 1);
    for (;; side = 3 - side) {
        if (side == own) {
            int best = 0;
            search(board, own, DEPTH, -1000000, 1000000, 0, &best);
            if (best) printf("%d %d\n", best % 10, best / 10); else printf("pass\n");
            fflush(stdout);
            if (best) turned(board, own, best, 1);
        } else {
            if (!fgets(line, sizeof line, stdin)) return 0;
            if (sscanf(line, "%d %d", &x, &y) == 2) turned(board, 3 - own, x + 10 * y, 1);
        }
    }
}
"""


def searcher(number: int) -> str:
    """Return a C program that searches 1 to 4 plies; another number weighs corners, mobility and discs otherwise."""
    values = {
        "depth": 1 + number % 4,
        "corner": 10 * (number // 4 % 4),
        "mobility": number // 3 % 5,
        "disc": number // 5 % 3 - 1,
        "noise": number % 7,
    }
    text = SEARCHER
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text
