"""The origin of the installed package, as recorded by the installer (PEP 610)."""

from __future__ import annotations

import json
import shlex
from typing import Any
from urllib.parse import unquote, urlsplit


def read_origin() -> dict[str, Any]:
    """Return the installer's record of where the package came from; empty for a package from an index."""
    from importlib.metadata import PackageNotFoundError, distribution  # slow to import

    try:
        return dict(json.loads(distribution("quietmove").read_text("direct_url.json") or "{}"))
    except (PackageNotFoundError, OSError):
        return {}


def folder_of(origin: dict[str, Any]) -> str | None:
    """Return the checkout that the package was installed from, or None if it came from elsewhere."""
    return unquote(urlsplit(origin["url"]).path) if "dir_info" in origin else None


def install_command(extra: str) -> str:
    """Return the command that adds an extra to this installation."""
    origin = read_origin()
    if (folder := folder_of(origin)) is not None:
        editable = "-e " if origin["dir_info"].get("editable") else ""
        return f"pip install {editable}{shlex.quote(f'{folder}[{extra}]')}"
    source = ""
    if "url" in origin:
        vcs = origin.get("vcs_info", {})
        prefix, suffix = (f"{vcs['vcs']}+", f"@{vcs['commit_id']}") if vcs else ("", "")
        source = f" @ {prefix}{origin['url']}{suffix}"
    return f"pip install {shlex.quote(f'quietmove[{extra}]{source}')}"
