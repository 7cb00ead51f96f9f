"""A hook of mkdocs: the texts in the root of the repository are pages of the site as well.

Links between them and the pages of docs/ are written as they are in the repository, where GitHub and editors follow
them. Here they become links between pages.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
ROOT_PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
_NAMES = "|".join(map(re.escape, ROOT_PAGES))


def on_files(files: Files, config: Any) -> Files:
    for name in ROOT_PAGES:
        text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, name.lower(), content=_to_pages(text, "")))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    return _to_pages(markdown, "../")


def _to_pages(text: str, folder: str) -> str:
    """Links to a text in the root become links to its page."""
    return re.sub(rf"\]\({re.escape(folder)}({_NAMES})\b", lambda link: f"]({link[1].lower()}", text)
