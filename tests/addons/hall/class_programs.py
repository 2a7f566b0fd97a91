"""Programs that people hand in to a class: good ones, wrong ones, and such as set out to harm."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import quietmove.addons.hall

TEMPLATE = (Path(quietmove.addons.hall.__file__).parent / "data" / "starters" / "player.py").read_text()
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
known = ('HOME', 'PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'PWD', 'PYTHONPATH')
say('knows', [name for name in os.environ if name not in known])
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
}
NIM["player.cpp"] = NIM["player.c"]


def packed(files: Mapping[str, str | bytes]) -> bytes:
    """Return a zip with these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()
