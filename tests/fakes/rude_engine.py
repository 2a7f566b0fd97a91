"""An engine with good manners but one: it plays the first legal move, and its searches end when they are told to.

    rude_engine.py uci|gtp|nboard|json|project [FAULT]

What each fault does is said where it is looked for, as ``self.has("...")``. A search without an end computes nothing:
it is a question that waits for its `stop`.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time

from othello import Board, read_move, read_moves, write_move

FOREVER = 10_000  # seconds
LATE = 1.5  # seconds, more than the checks' limits and margins
LONG = 100_000  # bytes
OPTIONS = """\
option name Hash type spin default 16 min 1 max 65536
option name Ponder type check default false"""


class Engine:
    """What the protocols have in common: lines, positions, the answer."""

    def __init__(self, fault: str) -> None:
        self.fault = fault
        self.board = Board()
        self.running = True

    def has(self, fault: str) -> bool:
        return self.fault == fault

    def say(self, text: str) -> None:
        data = f"{text}\n".encode()
        while data:
            data = data[os.write(1, data) :]

    def run(self) -> None:
        rest = b""
        while self.running and (data := os.read(0, 1 << 16)):
            *lines, rest = (rest + data).split(b"\n")
            if self.has("a-line-a-read"):
                lines, rest = [data.split(b"\n")[0]], b""
            if self.has("a-line-at-once") and len(lines) > 1:
                os._exit(1)
            if self.has("short-lines") and len(rest) > LONG:
                os._exit(1)
            for line in lines:
                text = line.decode("utf-8", "strict" if self.has("strict-bytes") else "replace")
                self.handle(text if self.has("keeps-cr") else text.strip("\r"))
        if self.has("outlives-input"):
            time.sleep(FOREVER)

    def handle(self, line: str) -> None:
        raise NotImplementedError

    def unknown(self) -> None:
        if self.has("ends-on-junk"):
            os._exit(1)

    def leave(self) -> None:
        if not self.has("ignores-quit"):
            os._exit(0)

    def move(self) -> tuple[int, int] | None:
        """Choose a move where there is one."""
        if self.has("late"):
            time.sleep(LATE)
        legal = self.board.legal()
        if self.has("no-pass") and legal == [None]:
            return (1, 1)
        if self.has("illegal"):
            return next(iter(self.board.discs))
        return random.choice(legal) if self.has("random") else legal[0]

    def set_up(self, moves: list[tuple[int, int] | None]) -> None:
        self.board = Board()
        for move in moves:
            self.board.play(move)


class Uci(Engine):
    searching = ""  # the limits of the running search
    answered: Board | None = None  # the position of the last reply
    games = 0

    def handle(self, line: str) -> None:
        word, _, rest = line.strip(" \t").partition(" ")
        if word == "uci":
            name = "" if self.has("no-name") else "id name rude\n"
            bad = "option name Speed type spin default 9 min 1 max 5\n" if self.has("bad-option") else ""
            self.say(f"{name}{bad}{OPTIONS}\nuciok")
        elif word == "isready" and not (self.has("deaf") and self.searching):
            self.say("readyok")
        elif word == "ucinewgame":
            self.games += 1
            if self.has("few-games") and self.games > 20:
                os._exit(1)
        elif word == "setoption" and self.has("no-hash") and "Hash" in rest:
            os._exit(1)
        elif word == "position" and rest.startswith("startpos"):
            self.set_up(read_moves(rest.split()[2:]))
        elif word == "go":
            self.go(rest)
        elif word in ("stop", "ponderhit"):
            self.end_search(word)
        elif word == "quit":
            self.leave()
        elif word == "position" and self.has("believes-all"):
            os._exit(1)
        elif word not in ("position", "setoption", "isready", ""):
            self.unknown()

    def go(self, rest: str) -> None:
        if self.searching:
            if self.has("answers-each-go"):
                self.answer()
                self.answer()
            return
        self.searching = rest
        if self.has("simple") and "infinite" in rest:  # it does not know the word, and reads nothing while it thinks
            time.sleep(LATE / 2)
        holds = ("infinite" in rest and self.fault not in ("hurries", "simple")) or (
            "ponder" in rest and not self.has("no-ponder")
        )
        if not holds:
            self.end_search("limit")

    def end_search(self, word: str) -> None:
        if self.searching:
            self.answer()
            if self.has("answers-twice"):
                self.answer()
        elif self.has("answers-stop") and word == "stop":
            self.say("bestmove none")
        self.searching = ""

    def answer(self) -> None:
        board = self.board
        if self.has("old-position"):
            self.board, self.answered = self.answered or board, board
        move = self.move() if self.board.legal() else "none"
        words = self.searching.split()
        if "searchmoves" in words and not self.has("ignores-searchmoves"):
            move = read_move(" ".join(words[words.index("searchmoves") + 1 :]))
        text = move if isinstance(move, str) else write_move(move)
        depth, nodes = 9 if self.has("deep") else 1, 9000 if self.has("many-nodes") else 50
        pv = "1 1" if self.has("illegal-line") else text
        score = "lots" if self.has("bad-number") else "20"
        if move != "none" and not self.has("quiet"):
            self.say(f"info depth {depth} score cp 20 nodes {nodes} time {score} pv {pv}")
        if self.has("chatters"):
            self.say("thinking hard")
        self.board = board
        self.say(f"bestmove {text}")


COMMANDS = "protocol_version name version known_command list_commands quit boardsize clear_board play genmove"


class Gtp(Engine):
    def handle(self, line: str) -> None:
        text = line if self.has("no-comments") else line.partition("#")[0].replace("\t", " ")
        words = [word for word in text.split() if word.isprintable()]
        if not words:
            return
        number = words.pop(0) if words[0].isdecimal() else ""
        answer = self.carry_out(words)
        self.say(f"{answer[:1]}{'' if self.has('no-numbers') else number} {answer[1:]}\n")
        if words == ["quit"]:
            self.leave()

    def carry_out(self, words: list[str]) -> str:
        match words:
            case ["protocol_version"]:
                return "=1" if self.has("version-1") else "=2"
            case ["list_commands"]:
                return "=" + "\n".join(COMMANDS.split()[2 if self.has("lists-few") else 0 :])
            case ["known_command", name]:
                return "=true" if name == "final_score" else "=false"
            case ["clear_board"]:
                self.set_up([])
            case ["play", color, text]:
                return self.play(color, text)
            case ["genmove", color]:
                return self.genmove(color)
            case ["final_score"]:
                black = sum(1 if side == "X" else -1 for side in self.board.discs.values())
                return f"={'BW'[(black < 0) != self.has('wrong-score')]}+{abs(black)}"
            case ["name" | "version" | "boardsize" | "time_settings" | "time_left" | "quit", *_]:
                return "?" if "many" in words else "=rude"
            case _:
                self.unknown()
                return "=" if self.has("takes-all") else "?unknown command"
        return "="

    def turn_to(self, color: str) -> bool:
        side = {"black": "X", "white": "O"}.get(color, "")
        if side != self.board.side and self.board.legal() == [None]:
            self.board.play(None)
        return side == self.board.side

    def play(self, color: str, text: str) -> str:
        move = None if text == "pass" else ("abcdefgh".find(text[0]) + 1, 9 - int(text[1]))
        if not self.turn_to(color) or move not in self.board.legal():
            return "?illegal move"
        self.board.play(move)
        return "="

    def genmove(self, color: str) -> str:
        self.turn_to(color)
        if not self.board.legal():
            return "=d3" if self.has("plays-on") else "=pass"
        move = self.move()
        self.board.play(move)
        return "=pass" if move is None else f"={'abcdefgh'[move[0] - 1]}{9 - move[1]}"


class NBoard(Engine):
    searching = False

    def handle(self, line: str) -> None:
        words = line.split() or [""]
        if words[0] == "ping":
            if self.searching and self.has("answers-late"):
                self.say(f"pong {words[1]}")
                self.answer()
                self.searching = False
            elif not (self.searching and self.has("deaf")):
                self.searching = False
                self.say(f"pong {words[1]}")
        elif words[:2] == ["set", "game"]:
            self.set_up([])
        elif words[:2] == ["set", "depth"]:
            self.depth = words[2]
        elif words[0] == "move" and len(words) > 1 and words[1] != "Z9":
            text = words[1].lower()
            move = None if text == "pa" else ("abcdefgh".find(text[0]) + 1, 9 - int(text[1]))
            if move in self.board.legal():
                self.board.play(move)
        elif words[0] == "go" and self.board.legal():
            self.searching = self.depth == "60"
            if not self.searching:
                self.answer()
        elif words[0] == "hint":
            self.say("search d3 0.00 0 1")
        elif words[0] == "quit":
            self.leave()
        elif words[0] not in ("set", "nboard", "move", "go", ""):
            self.unknown()

    def answer(self) -> None:
        move = self.move()
        text = "PA" if move is None else f"{'abcdefgh'[move[0] - 1]}{9 - move[1]}"
        self.say(f"search {text} 0.00 0 {5 if self.has('deep') else 1}")
        if self.has("chatters"):
            self.say("thinking hard")
        self.say(f"=== {text}")
        if self.has("makes-its-move"):
            self.board.play(move)


class Json(Engine):
    def handle(self, line: str) -> None:
        self.board = Board()
        moves = json.loads(line)["moves"]
        for text in moves:
            self.board.play(None if text == "pass" else ("abcdefgh".index(text[0]) + 1, 9 - int(text[1])))
        x, y = self.move() or (0, 0)
        if self.has("chatters"):
            self.say("thinking hard")
        self.say(json.dumps({"move": f"{'abcdefgh'[x - 1]}{9 - y}" if x else "pass"}))


class Project(Engine):
    color = ""

    def handle(self, line: str) -> None:
        words = line.split(" ")
        if words[0] == "game":
            if words[4] not in ("0", "1", "3", "5"):
                os._exit(1)
            self.color = {"B": "X", "W": "O"}[words[1]]
            if self.has("white-moves") and words[1] == "W":
                self.say("4 6")
        elif words[0]:
            self.board.play(read_move(line))
        if self.color == self.board.side and self.board.legal():
            move = self.move()
            self.board.play(move)
            x, y = move or (0, 0)
            self.say(f"{x - 1} {8 - y}" if self.has("zero") and move else write_move(move))
            if self.has("chatters"):
                self.say("thinking hard")


PROTOCOLS = {"uci": Uci, "gtp": Gtp, "nboard": NBoard, "json": Json, "project": Project}

if __name__ == "__main__":
    PROTOCOLS[sys.argv[1]](sys.argv[2] if len(sys.argv) > 2 else "").run()
