"""The HTML report in a real browser: a filter is clicked, a row is read, nothing is fetched."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

from tests.test_report_lake import CANBERRA, LakeBuilder, report

pytestmark = pytest.mark.browser

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,1400",
)
EXCEPTIONS = 240


def browser_path() -> str:
    """The browser named by ``CHROMIUM``, or the first known one on the path."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.fail(
            "No browser found: install Chromium (Debian: apt-get install chromium chromium-driver) "
            "or name one in the environment variable CHROMIUM."
        )
    return found


def driver_path() -> str:
    """The driver that goes with the browser."""
    found = os.environ.get("CHROMEDRIVER") or shutil.which("chromedriver")
    if found is None:
        pytest.fail(
            "No chromedriver found: install it (Debian: apt-get install chromium-driver) "
            "or name one in the environment variable CHROMEDRIVER."
        )
    return found


@pytest.fixture(scope="module")
def page_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = LakeBuilder()
    kinds = [
        ("settle.odds", "breach", "12.5"),
        ("deal.order", "procedure", None),
        ("wager.below-min", "notice", None),
    ]
    for number in range(EXCEPTIONS):
        code, severity, delta = kinds[number % 3]
        lake.round(CANBERRA, f"R{number:03d}", table=f"P{number % 4}", dealer=f"D{number % 5}")
        lake.finding(
            CANBERRA, f"R{number:03d}", code, severity, delta, box=3, hand=1, wager="a", player=f"P{number}"
        )
    lake.round(
        CANBERRA,
        "EVIL",
        table="<script>document.title='owned'</script>",
        dealer='"><img src=x onerror=alert(1)>',
    )
    lake.finding(
        CANBERRA, "EVIL", "settle.double", "breach", "-500", box=3, hand=1, wager="a", expected="win, 25 paid"
    )
    return report(tmp_path_factory.mktemp("browser"), lake, CANBERRA).html


LOGS = ("browser", "performance")


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = Options()
    options.binary_location = browser_path()
    for switch in (*SWITCHES, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", dict.fromkeys(LOGS, "ALL"))
    driver = webdriver.Chrome(options=options, service=Service(driver_path()))
    try:
        yield driver
    finally:
        driver.quit()


@pytest.fixture
def browser(page_path: Path, chromium: webdriver.Chrome) -> Iterator[webdriver.Chrome]:
    """The report in a tab of its own, with nothing in the logs of what was before."""
    first = chromium.current_window_handle
    chromium.switch_to.new_window("tab")
    for log in LOGS:
        chromium.get_log(log)  # type: ignore[no-untyped-call]
    chromium.get(page_path.as_uri())
    yield chromium
    chromium.close()
    chromium.switch_to.window(first)


def shown(browser: webdriver.Chrome) -> list[WebElement]:
    """The exceptions to be seen, asked in one call: of each by itself it would take seconds."""
    rows: list[WebElement] = browser.execute_script(
        "return [...document.querySelectorAll('#list > .exception')].filter(row => row.checkVisibility())"
    )
    return rows


def attributes(browser: webdriver.Chrome, name: str) -> list[str | None]:
    """An attribute of each exception to be seen, ``None`` where it has none."""
    values: list[str | None] = browser.execute_script(
        "return arguments[0].map(row => row.getAttribute(arguments[1]))", shown(browser), name
    )
    return values


def shown_count(browser: webdriver.Chrome) -> str:
    return browser.find_element(By.ID, "shown").text


def tally(browser: webdriver.Chrome, severity: str) -> str:
    return browser.find_element(By.CSS_SELECTOR, f"[data-tally={severity}]").text


def test_a_filter_is_clicked_and_a_row_is_read(browser: webdriver.Chrome) -> None:
    """Unticking the other severities leaves the breaches; the gravest opens and tells its story."""
    total = EXCEPTIONS + 1
    assert shown_count(browser) == f"Showing {total} of {total}"
    assert [tally(browser, each) for each in ("breach", "procedure", "ambiguous", "notice")] == [
        "81",
        "80",
        "0",
        "80",
    ]

    for severity in ("procedure", "notice"):
        browser.find_element(By.CSS_SELECTOR, f"input[value={severity}]").click()
    assert shown_count(browser) == f"Showing 81 of {total}"
    assert set(attributes(browser, "data-severity")) == {"breach"}

    first = shown(browser)[0]
    assert not first.find_element(By.CLASS_NAME, "body").is_displayed()
    first.find_element(By.TAG_NAME, "summary").click()
    body = first.find_element(By.CLASS_NAME, "body")
    assert body.is_displayed()
    for told in (
        "win, 25 paid",
        "stand-off",
        "AUD 500.00 underpaid",
        "act-2018 14.1",
        "table <script>document.title='owned'</script>",
        'dealer "><img src=x onerror=alert(1)>',
        "hard 20, stood",
        "night.jsonl.gz, line 12",
    ):
        assert told in body.text
    cards = body.find_elements(By.CLASS_NAME, "card")
    assert ["".join(card.text.split()) for card in cards] == ["K♠", "Q♥", "9♠", "8♥", "2♦"]


def test_the_filters_narrow_one_another(browser: webdriver.Chrome) -> None:
    Select(browser.find_element(By.NAME, "check")).select_by_value("settle.odds")
    assert (tally(browser, "breach"), tally(browser, "notice")) == ("80", "0")
    Select(browser.find_element(By.NAME, "table")).select_by_value("P0")
    assert tally(browser, "breach") == "20"
    Select(browser.find_element(By.NAME, "dealer")).select_by_value("D0")
    assert tally(browser, "breach") == "4"
    search = browser.find_element(By.NAME, "search")
    search.send_keys("r120 9♠")
    assert attributes(browser, "data-check") == ["settle.odds"]
    search.send_keys(" nowhere")
    assert not shown(browser)
    assert browser.find_element(By.ID, "nothing").is_displayed()
    browser.find_element(By.CSS_SELECTOR, "button[type=reset]").click()
    WebDriverWait(browser, 5).until(lambda driver: shown_count(driver) == "Showing 241 of 241")


def test_a_name_in_a_chart_filters_the_list(browser: webdriver.Chrome) -> None:
    browser.find_element(By.CSS_SELECTOR, "a[data-pick=dealer][data-value=D3]").click()
    assert shown_count(browser) == "Showing 48 of 241"
    browser.find_element(By.ID, "open").click()
    assert attributes(browser, "open") == [""] * 48


def test_the_page_leads_with_causes_and_a_click_shows_their_exceptions(browser: webdriver.Chrome) -> None:
    sections = browser.find_elements(By.CSS_SELECTOR, "main > section")
    assert sections[0].get_attribute("id") == "causes"
    first = sections[0].find_element(By.CLASS_NAME, "cause")
    assert first.text.splitlines()[0].startswith("✕ breach 80 rounds, all of casino-canberra")
    assert not first.find_element(By.TAG_NAME, "dl").is_displayed()
    first.find_element(By.TAG_NAME, "summary").click()
    assert "settle.odds" in first.find_element(By.TAG_NAME, "dl").text
    first.find_element(By.CSS_SELECTOR, "a[data-pick=cause]").click()
    assert shown_count(browser) == "Showing 80 of 241"
    assert set(attributes(browser, "data-check")) == {"settle.odds"}


def test_nothing_is_fetched_and_nothing_is_wrong(browser: webdriver.Chrome, page_path: Path) -> None:
    browser.find_element(By.ID, "open").click()
    assert browser.title == "Pontoon exceptions: casino-canberra, 1 March 2019"
    assert browser.get_log("browser") == []  # type: ignore[no-untyped-call]
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]  # type: ignore[no-untyped-call]
    requested = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
        and message["params"]["documentURL"] == page_path.as_uri()
    ]
    assert requested == [page_path.as_uri()]
    assert not browser.find_elements(By.TAG_NAME, "img")


def test_the_policy_stops_a_script_that_is_not_the_report_s_own(browser: webdriver.Chrome) -> None:
    """Were a text of the log ever taken for a script, the browser would refuse to run it."""
    browser.execute_script(
        "const node = document.createElement('script'); node.textContent = 'document.title = \"owned\"';"
        "document.body.append(node);"
    )
    assert browser.title.startswith("Pontoon exceptions")
    assert "Content Security Policy" in browser.get_log("browser")[0]["message"]  # type: ignore[no-untyped-call]


def test_without_script_everything_is_readable(browser: webdriver.Chrome) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.refresh()
    assert not browser.find_element(By.ID, "filters").is_displayed()
    first = browser.find_element(By.ID, "x1")
    first.find_element(By.TAG_NAME, "summary").click()
    assert "AUD 500.00 underpaid" in first.find_element(By.CLASS_NAME, "compare").text
