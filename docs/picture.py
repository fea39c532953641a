"""Take the picture of a report for the README: the first screen of a run's report.html, through Chromium.

    python docs/picture.py runs/2026-11-30T13-30-00Z-classroom docs/report.png

Needs Chromium (or Chrome) on this machine; nothing else of meshcap does.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTH_PX, HEIGHT_PX, SCALE = 1120, 1320, 2


def main() -> None:
    """Parse the arguments, render the report anew, and save the picture."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("run", type=Path, help="a run directory")
    parser.add_argument("png", type=Path, nargs="?", default=Path("docs/report.png"), help="where the picture goes")
    parser.add_argument("--lang", default="en", help="language of the report")
    arguments = parser.parse_args()
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        sys.exit(f"no browser found: install one of {', '.join(BROWSERS)}, as in apt-get install chromium")
    from reports import render

    page = render(arguments.run, arguments.lang)
    take(browser, page, arguments.png)
    shrink(arguments.png)
    print(arguments.png)


def take(browser: str, page: Path, png: Path) -> None:
    """Save what the browser shows of a page. Raises CalledProcessError when the browser fails."""
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                f"--user-data-dir={profile}",
                f"--window-size={WIDTH_PX},{HEIGHT_PX}",
                f"--force-device-scale-factor={SCALE}",
                f"--screenshot={png.resolve()}",
                page.resolve().as_uri(),
            ],
            check=True,
            capture_output=True,
            timeout=120,
        )


def shrink(png: Path) -> None:
    """Keep a palette of 128 colours: the picture looks the same at a third of its size."""
    from PIL import Image  # comes with matplotlib

    with Image.open(png) as picture:
        picture.convert("RGB").quantize(128).save(png, optimize=True)


if __name__ == "__main__":
    main()
