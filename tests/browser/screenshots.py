"""Every page as a phone, a tablet and a computer show it, light and dark:

python -m tests.browser.screenshots OUT [PART OF A PAGE'S NAME ...]
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import CHROMIUM, running_server
from tests.browser.places import everywhere, make_places

SIZES = ((360, 640), (768, 1024), (1280, 800))


def main(folder: Path, *parts: str) -> None:
    with tempfile.TemporaryDirectory() as data, running_server(Path(data)) as server, sync_playwright() as playwright:
        with server.database() as db:
            places = make_places(db)
        browser = playwright.chromium.launch(**CHROMIUM)
        for scheme in ("light", "dark"):
            page = browser.new_page(color_scheme=scheme)
            for name in everywhere(page, server.url, places):
                if not parts or any(part in name for part in parts):
                    _take(page, folder / scheme, name)
            page.context.close()
        browser.close()


def _take(page: Page, folder: Path, name: str) -> None:
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.screenshot(path=folder / f"{re.sub(r'[^a-z0-9]+', '-', name.lower())}-{width}.png", full_page=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
