"""The games of a store as a file to download."""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path

from quietmove.addons.runner.report.page import html_report
from quietmove.engine.games.othello.game_files.game import Losses
from quietmove.tournament.reporting.document import document
from quietmove.tournament.reporting.export_command import write_games
from quietmove.tournament.store.store import Store

EXPORTS = {"csv": "csv", "json": "jsonl", "ggf": "ggf", "transcript": "txt", "wthor": "zip", "report": "html"}
WTHOR = ("wtb", "jou", "trn")


def exported(path: Path, kind: str) -> bytes:
    """Return a store's games in one of the export formats, or as an HTML report."""
    with Store.open_to_read(path) as store:
        if kind == "report":
            found = document(store.tournament, store.results(), store.times())
            return html_report(store, found).encode()
        files = [BytesIO() for _ in (WTHOR if kind == "wthor" else (kind,))]
        write_games(store, kind, files, store.games(), Losses())
        if kind != "wthor":
            return files[0].getvalue()
        packed = BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for ending, file in zip(WTHOR, files, strict=True):
                archive.writestr(f"{path.stem}.{ending}", file.getvalue())
        return packed.getvalue()
