"""A real browser that opens pages from files, and tells what it was asked and what went wrong."""

import base64
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

PATIENCE_S = 20


class Browser:
    """Chromium with one page."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, page: Path, width: int = 1100) -> None:
        """Show a page in a window of this width and wait for its first figure."""
        self.resize(width)
        self.driver.get(page.absolute().as_uri())
        self.wait("document.querySelector('.picture svg, .picture canvas') !== null")

    def resize(self, width: int) -> None:
        shape = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", shape)

    def make_dark(self, *, dark: bool) -> None:
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def value(self, expression: str) -> Any:
        return self.run(f"return {expression}")

    def wait(self, expression: str) -> None:
        """Wait until an expression is true."""
        from selenium.webdriver.support.wait import WebDriverWait

        WebDriverWait(self.driver, PATIENCE_S, 0.05).until(lambda _: self.value(expression))

    def mouse(self, kind: str, x: float, y: float, *, clicks: int = 1) -> None:
        event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": clicks}
        if kind == "mouseMoved":
            event |= {"button": "none", "clickCount": 0}
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", event)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.mouse("mouseMoved", *start)
        self.mouse("mousePressed", *start)
        middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        for place in (middle, end):
            event = {"type": "mouseMoved", "x": place[0], "y": place[1], "button": "left"}
            self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {**event, "buttons": 1})
        self.mouse("mouseReleased", *end)

    def double_click(self, x: float, y: float) -> None:
        for clicks in (1, 2):
            self.mouse("mousePressed", x, y, clicks=clicks)
            self.mouse("mouseReleased", x, y, clicks=clicks)

    def printed(self) -> bytes:
        """Give the page as it is printed, as PDF."""
        found = self.driver.execute_cdp_cmd("Page.printToPDF", {})
        return base64.b64decode(found["data"])

    def errors(self) -> list[str]:
        """Give what the console was told since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Give the addresses that were asked for since the last call."""
        messages = (json.loads(e["message"])["message"] for e in self.driver.get_log("performance"))
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Debian's Chromium without a screen."""
    options = webdriver.ChromeOptions()
    for option in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage"):
        options.add_argument(f"--{option}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
