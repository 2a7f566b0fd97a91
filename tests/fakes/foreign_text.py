"""An engine whose every text is hostile: to a terminal, to rich's markup, to a web page, and to lines."""

from __future__ import annotations

import sys

HOSTILE = "foreign \x1b[35m\x1b]0;title\x07 \u202e\u2066 [red]x[/red] <b>&amp; \x9b0m \x00\x7f\r \x85 \u2028 {1} %s"


def say(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape") + b"\n")
    sys.stdout.flush()


def main() -> None:
    sys.stderr.buffer.write(f"{HOSTILE}\udcff\n".encode("utf-8", "surrogateescape") * 3)
    sys.stderr.flush()
    for line in sys.stdin:
        command = line.split()[0]
        if command == "uci":
            say(f"id name {HOSTILE}\nid author {HOSTILE}\noption name {HOSTILE} type string default {HOSTILE}")
            say("uciok")
        elif command == "isready":
            say("readyok")
        elif command == "setoption":
            say(f"info string error: {HOSTILE}")
        elif command == "go":
            say(f"info string {HOSTILE}\ninfo depth 1 score cp 1 pv {HOSTILE}")
            say(f"{'x' * 5000}\nbestmove {HOSTILE} \udcff")
        elif command == "quit":
            return


if __name__ == "__main__":
    main()
