"""An engine that plays the first legal move it sees and, if told to, misbehaves in exactly one way.

    fake_engine.py [BEHAVIOUR] [--protocol uci|project] [--coordinates slide|zero] [--ply N] [--once FILE] [--pids FILE]
                   [--seed N] [--guess first|last] [--claim HUNDREDTHS] [--optimum N] [--gate FIFO]

With ``--guess`` it can ponder: it expects the first or the last of the opponent's legal moves. A behaviour that begins
with ``ponder-`` comes when it ponders, or is to stop.

It misbehaves the first time it is asked for a move after ``--ply`` plies have been played; with ``--once`` only the
process that creates FILE does. With ``--seed`` it plays at random. Each of its processes adds its number to the file
``--pids``, so that a test can see that none is left. With ``--claim`` it says this score with every move. With
``--optimum`` it resigns the later, the nearer the option Known is to N. With the behaviour ``wait`` it waits, before it
answers, for a byte from the named pipe ``--gate``, if that is there.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from attacks import attack, fill_folder, share_memory
from othello import Board, read_move, read_moves, write_move

FOREVER = 10_000  # seconds
FLOOD_BYTES = 100_000_000
MOST_MEMORY = 256 << 20  # limit in bytes, so that a failing test does no harm
ORPHANS = 20
MANY = 40  # processes or threads
LASTING = ("ignore-quit", "crash-at-second-game", "writes-a-log")  # behaviours that continue after a move
CLAIMS = """\
info depth 6 score cp 20 nodes 100 pv d3
info depth 7 multipv 1 score cp 150 nodes 1234 pv d3
info depth 7 multipv 2 score cp -900 nodes 1234 pv c4
info string a score of its own
"""


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def hang() -> None:
    while True:
        time.sleep(FOREVER)


def crash() -> None:
    sys.stderr.write("fake: crashed on purpose\n")
    sys.stderr.flush()
    os._exit(3)


def babble_and_crash(delay: float) -> None:
    say("bestmove Traceback (most recent call last)")
    time.sleep(delay)
    crash()


def flood_stream(descriptor: int, unit: bytes) -> None:
    block = unit * (1_000_000 // len(unit))
    for _ in range(FLOOD_BYTES // len(block)):
        view = memoryview(block)
        while view:
            view = view[os.write(descriptor, view) :]


def flood_lines() -> None:
    flood_stream(1, b"info depth 1 score cp 0 nodes 1 pv d3\n")
    hang()


def flood_one_line() -> None:
    flood_stream(1, b"a")
    crash()


def close_output() -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    hang()


def leave_child(pids: str | None) -> None:
    """Start a child that holds the pipes open and lives on."""
    code = "import time; time.sleep(10000)"
    child = subprocess.Popen([sys.executable, "-S", "-c", code])
    note_pid(child.pid, pids)


def leave_child_and_crash(pids: str | None) -> None:
    leave_child(pids)
    crash()


def leave_daemon(pids: str | None) -> None:
    """Start a grandchild in a session of its own, which holds the pipes open, ignores SIGTERM and lives on."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.setsid()
        if os.fork() == 0:
            be_stubborn()
            note_pid(os.getpid(), pids)
            os.close(writing)
            hang()
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    os.read(reading, 1)  # wait until the daemon has been recorded


def tell_surroundings() -> None:
    """Write the working directory, a variable and the processors to standard error."""
    print(os.path.realpath("."), os.environ.get("FAKE"), sorted(os.sched_getaffinity(0)), file=sys.stderr, flush=True)


def fill_memory() -> None:
    """Hold ever more memory, half of it in a child."""
    blocks = []
    if os.fork() == 0:
        os.close(1)
    for _ in range(MOST_MEMORY >> 20):
        blocks.append(b"x" * (1 << 20))
    hang()


def signal_supervisor(number: int, pids: str | None) -> None:
    """Leave a daemon, and send a signal to the parent of this engine."""
    leave_daemon(pids)
    os.kill(os.getppid(), number)
    hang()


def leave_orphans() -> None:
    """Leave grandchildren that end at once, and wait until the system knows none of them any more."""
    reading, writing = os.pipe()
    for _ in range(ORPHANS):
        if (child := os.fork()) == 0:
            if orphan := os.fork():
                os.write(writing, f"{orphan}\n".encode())
            os._exit(0)
        os.waitpid(child, 0)
    for orphan in os.read(reading, 4096).split():
        while os.path.exists(f"/proc/{int(orphan)}"):  # noqa: PTH110
            time.sleep(0.01)


def start_many_processes() -> None:
    """Start processes that wait for ever."""
    for _ in range(MANY):
        if os.fork() == 0:
            hang()
    hang()


def start_many_threads() -> None:
    for _ in range(MANY):
        threading.Thread(target=hang, daemon=True).start()
    hang()


def burn_in_orphans() -> None:
    """Use a processor for ever, in grandchildren that do not live long."""
    while True:
        if (child := os.fork()) == 0:
            if os.fork():
                os._exit(0)
            os.close(1)
            deadline = time.process_time() + 0.02
            while time.process_time() < deadline:
                pass
            os._exit(0)
        os.waitpid(child, 0)


def wait_at(gate: str) -> None:
    with contextlib.suppress(FileNotFoundError), open(gate, "rb", buffering=0) as pipe:  # noqa: PTH123
        pipe.read(1)


def be_stubborn() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def note_pid(pid: int, path: str | None) -> None:
    if path:
        with open(path, "a") as file:  # noqa: PTH123  (pathlib costs start-up time)
            file.write(f"{pid}\n")


def created(path: str) -> bool:
    """Create the file if it does not exist, and return whether it was created."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


class Engine:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.behaviour = options.behaviour
        self.board = Board()
        self.plies = 0
        self.games = 0
        self.pondering = False
        self.known = ""
        self.random = random.Random(options.seed)
        self.deeds: dict[str, Callable[[], None]] = {
            "crash": crash,
            "babble-and-crash": lambda: babble_and_crash(options.delay or 0),
            "kill-itself": lambda: os.kill(os.getpid(), signal.SIGKILL),
            "silence": hang,
            "flood": flood_lines,
            "flood-line": flood_one_line,
            "flood-stderr": lambda: flood_stream(2, b"a line of a log that nobody reads\n"),
            "close-output": close_output,
            "leave-child": lambda: leave_child(options.pids),
            "tell-surroundings": tell_surroundings,
            "attack": attack,
            "fill-memory": fill_memory,
            "fill-tmp": lambda: fill_folder("/tmp", MOST_MEMORY >> 20),
            "fill-shm": lambda: fill_folder("/dev/shm", MOST_MEMORY >> 20),
            "share-memory": lambda: share_memory(48),
            "burn-in-orphans": burn_in_orphans,
            "start-many-processes": start_many_processes,
            "start-many-threads": start_many_threads,
            "leave-orphans": leave_orphans,
            "stop-supervisor": lambda: signal_supervisor(signal.SIGSTOP, options.pids),
            "kill-supervisor": lambda: signal_supervisor(signal.SIGKILL, options.pids),
            "wait": lambda: wait_at(options.gate),
            "leave-daemon": lambda: leave_daemon(options.pids),
            "stop-itself": lambda: os.kill(os.getpid(), signal.SIGSTOP),
            "leave-child-and-crash": lambda: leave_child_and_crash(options.pids),
        }
        self.words: dict[str, str] = {
            "illegal": "1 1" if options.protocol == "uci" else self.wire((1, 1)),
            "garbage": "i am a fish",
            "resign": "resign",
            "empty": "",
        }

    def start(self) -> None:
        note_pid(os.getpid(), self.options.pids)
        if self.options.once and not created(self.options.once):
            self.behaviour = "sane"
        if self.behaviour == "crash-at-start":
            crash()
        if self.behaviour == "silent-at-start":
            hang()
        if self.behaviour == "ignore-quit":
            be_stubborn()

    def run_uci(self) -> None:
        for line in sys.stdin:
            command, _, rest = line.strip().partition(" ")
            if command == "uci":
                ponder = "option name Ponder type check default false\n" if self.options.guess else ""
                say(f"id name fake\noption name Known type string default x\n{ponder}uciok")
            elif command == "isready":
                say("readyok")
            elif command == "ucinewgame":
                self.begin_game()
            elif command == "setoption" and self.behaviour == "crash-at-option":
                crash()
            elif command == "setoption" and self.behaviour == "refuse-late" and rest.endswith("late"):
                time.sleep(self.options.delay)
                say("info string error: Known is not late")
            elif command == "setoption" and self.behaviour == "refuse-options":
                say("info string error: Known takes nothing")
            elif command == "setoption":
                self.known = rest.rpartition(" ")[2]
            elif command == "position":
                self.set_up(rest)
            elif command == "go" and rest.startswith("ponder"):
                self.ponder()
            elif command == "go" or (command in ("stop", "ponderhit") and self.pondering):
                self.stop_pondering(command)
                self.answer("bestmove ", self.claims())
            elif command == "quit" and self.behaviour != "ignore-quit":
                return

    def claims(self) -> str:
        claim = self.options.claim
        return CLAIMS if claim is None else f"info depth 1 score cp {claim} nodes 1 pv d3\n"

    def begin_game(self) -> None:
        self.games += 1
        self.random.seed(self.options.seed)
        if self.behaviour == "writes-a-log":
            sys.stderr.write("fake: game begins\n")
            sys.stderr.flush()
        if self.behaviour == "crash-at-second-game" and self.games == 2:
            crash()

    def ponder(self) -> None:
        """Wait for `stop` or `ponderhit`, unless it is time to misbehave."""
        self.pondering = True
        deed = self.behaviour.removeprefix("ponder-")
        if self.behaviour.startswith("ponder-") and self.plies > self.options.ply:
            if deed in self.deeds:
                self.deeds[deed]()
            elif deed == "answer":
                self.pondering = False
                say("bestmove 1 1")

    def stop_pondering(self, command: str) -> None:
        self.pondering = False
        if command == "stop" and self.behaviour == "ponder-late":
            time.sleep(self.options.delay)

    def run_project(self) -> None:
        words = sys.stdin.readline().split()
        if words[1] == "B":
            self.answer()
        for line in sys.stdin:
            self.play(self.unwire(line.strip()))
            self.answer()

    def set_up(self, text: str) -> None:
        self.board, self.plies = Board(), 0
        for move in read_moves(text.split()[2:]):
            self.play(move)

    def play(self, move: tuple[int, int] | None) -> None:
        self.board.play(move)
        self.plies += 1

    def answer(self, prefix: str = "", claims: str = "") -> None:
        """Misbehave if it is time to, and answer the request."""
        legal = self.board.legal()
        if not legal:
            return
        behaviour = "sane"
        lasting = self.behaviour in LASTING or self.behaviour.startswith("ponder-")
        if self.plies >= self.options.ply and not lasting:
            behaviour, self.behaviour = self.behaviour, "sane"
            if behaviour == "late":
                time.sleep(FOREVER if self.options.delay is None else self.options.delay)
            if behaviour in self.deeds:
                self.deeds[behaviour]()
            if behaviour in self.words:
                say(prefix + self.words[behaviour])
                return
        if self.options.optimum is not None and self.plies > 40 - abs(int(self.known) - self.options.optimum):
            say(prefix + "resign")
            return
        move = self.random.choice(legal) if self.options.seed is not None else legal[0]
        if self.options.protocol == "project":
            self.play(move)
        again = f"\n{prefix}{self.wire(move)}" if behaviour == "answer-twice" else ""
        say(claims + prefix + self.wire(move) + self.guess(move) + again)

    def guess(self, move: tuple[int, int] | None) -> str:
        """Return the expected reply as the end of the line, if it is to tell one."""
        if not self.options.guess:
            return ""
        self.board.play(move)
        replies = self.board.legal()
        if not replies:
            return ""
        return f" ponder {self.wire(replies[0 if self.options.guess == 'first' else -1])}"

    def wire(self, move: tuple[int, int] | None) -> str:
        if move is None or self.options.coordinates == "slide":
            return write_move(move)
        return f"{move[0] - 1} {8 - move[1]}"

    def unwire(self, text: str) -> tuple[int, int] | None:
        if text == "pass" or self.options.coordinates == "slide":
            return read_move(text)
        column, row = text.split()
        return int(column) + 1, 8 - int(row)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("behaviour", nargs="?", default="sane")
    parser.add_argument("--protocol", default="uci")
    parser.add_argument("--coordinates", default="slide")
    parser.add_argument("--ply", type=int, default=0)
    parser.add_argument("--delay", type=float)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--guess")
    parser.add_argument("--claim", type=int)
    parser.add_argument("--optimum", type=int)
    parser.add_argument("--once")
    parser.add_argument("--gate")
    parser.add_argument("--pids")
    engine = Engine(parser.parse_args())
    engine.start()
    engine.run_uci() if engine.options.protocol == "uci" else engine.run_project()
    if engine.behaviour == "ignore-quit":
        hang()


if __name__ == "__main__":
    main()
