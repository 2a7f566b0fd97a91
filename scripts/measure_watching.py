"""What it costs a running tournament to be watched: by its speed, and by what the server of the pages takes.

    measure_watching.py [--pairs N] [--rounds N] [--nodes N] [--pages N]

The same tournament is played twice as often as --pairs says: once with nobody watching, once while --pages pages of the
server follow it. Printed are the time of each run, the median of the ratios of the two, and the processor time of the
server in percent of what the machine's processors could have given in that time. The ratio of times means something on
a machine that does nothing else; the server's share is right on every machine.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

CONFIG = """
name = "watched"
rounds = {rounds}
openings = "{openings}"
[defaults]
limit = "nodes={nodes}"
"""
ENGINE = '[[engine]]\nname = "{name}"\noptions = {{ Ordering = "{name}" }}\n'
ORDERINGS = ("full", "mobility", "static", "none")
OPENINGS = Path(__file__).parents[1] / "tournament" / "data" / "openings.txt"
TICKS = os.sysconf("SC_CLK_TCK")
PATIENCE = 30.0  # seconds for the server to list a store


@dataclass
class Server:
    """A server of the pages, and those who watch."""

    process: subprocess.Popen[str]
    host: str
    cookie: dict[str, str]
    messages: list[int] = field(default_factory=list)

    def cpu(self) -> float:
        """Return the processor time that it has used, in seconds."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def watch(self, file: str) -> None:
        """Follow a store, as a page does, until the tournament is over."""
        heard = 0
        with connect(
            f"ws://{self.host}/tournaments/{self._name(file)}/live",
            additional_headers=self.cookie,
            origin=f"http://{self.host}",  # type: ignore[arg-type]
            max_size=None,
        ) as socket:
            try:
                for text in socket:
                    heard += 1
                    message = json.loads(text)
                    if message["type"] == "tournament" and message["document"]["over"]:
                        break
            except ConnectionClosed:
                pass
        self.messages.append(heard)

    def _name(self, file: str) -> str:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            connection = http.client.HTTPConnection(self.host)
            connection.request("GET", "/api/tournaments", headers=self.cookie)
            found = json.loads(connection.getresponse().read())["tournaments"]
            connection.close()
            names = [each["id"] for each in found if each["file"] == file]
            if names:
                return str(names[0])
            time.sleep(0.1)
        raise SystemExit(f"the server does not list {file}")


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """Serve the stores of a folder."""
    command = [sys.executable, "-m", "quietmove.referee", "serve", "--store", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    address = re.search(r"http://\S+", process.stdout.readline())
    assert address is not None
    host, token = urlsplit(address[0]).netloc, address[0].partition("token=")[2]
    try:
        yield Server(process, host, {"Cookie": f"quietmove-{host.partition(':')[2]}={token}"})
    finally:
        process.terminate()
        process.wait()


def play(config: Path, store: Path) -> float:
    """Play the tournament and return how many seconds it took."""
    began = time.monotonic()
    command = [sys.executable, "-m", "quietmove.tournament", "run", str(config), "--store", str(store)]
    subprocess.run(command, check=True, capture_output=True)
    return time.monotonic() - began


def play_watched(config: Path, store: Path, server: Server, pages: int) -> tuple[float, float]:
    """Play it while pages watch; return how many seconds it took, and the processor time of the server."""
    before = server.cpu()
    watchers = [threading.Thread(target=server.watch, args=(store.name,)) for _ in range(pages)]
    for watcher in watchers:
        watcher.start()
    seconds = play(config, store)
    used = server.cpu() - before
    for watcher in watchers:
        watcher.join()
    return seconds, used


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=3, help="runs of either kind")
    parser.add_argument("--rounds", type=int, default=20, help="rounds of four engines, 12 games each")
    parser.add_argument("--nodes", type=int, default=10_000, help="of each move")
    parser.add_argument("--pages", type=int, default=3, help="that watch")
    options = parser.parse_args()
    ratios, shares = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config = folder / "watched.toml"
        text = CONFIG.format(rounds=options.rounds, openings=OPENINGS, nodes=options.nodes)
        config.write_text(text + "".join(ENGINE.format(name=ordering) for ordering in ORDERINGS))
        with serving(folder) as server:
            for pair in range(options.pairs):
                alone = play(config, folder / f"alone-{pair}.sqlite")
                watched, used = play_watched(config, folder / f"watched-{pair}.sqlite", server, options.pages)
                ratios.append(watched / alone)
                shares.append(100 * used / (watched * (os.cpu_count() or 1)))
                say(f"alone {alone:.1f} s, watched {watched:.1f} s: {ratios[-1]:.3f}; server {shares[-1]:.2f} %")
    heard = f"{options.pages} pages, {min(server.messages)} to {max(server.messages)} messages each"
    say(f"median of {options.pairs}: {median(ratios):.3f} times as long, server {median(shares):.2f} %; {heard}")


if __name__ == "__main__":
    main()
