"""A whole evening on a phone: create a group, play session S1 of the cases, correct a deal, settle."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.deals import Numbers, brought, case, choose, expect_on_sheet, expect_seated, signed

CASE = case("S1")
NAMES: list[str] = CASE["session"]["players"]


def enter(page: Page, deal: dict[str, Any], *, declarer: str | None = None) -> None:
    controls = [f"contract-{deal['contract']}", f"declarer-{NAMES.index(declarer or deal['declarer'])}"]
    if "partner" in deal:
        controls.append(f"partner-{NAMES.index(deal['partner'])}")
    for control in controls:
        choose_unless_chosen(page, control)
    if page.locator("input[name='trump']").count():
        choose_unless_chosen(page, f"trump-{deal['trump']}")
    choose_unless_chosen(page, f"tricks-{deal['tricks']}")


def choose_unless_chosen(page: Page, control: str) -> None:
    if not page.locator(f"#{control}").is_checked():
        choose(page, control)


def as_shown(expected: dict[str, Any]) -> Numbers:
    return {name: (signed(expected["change"][name]), signed(expected["total"][name])) for name in NAMES}


def start_session(page: Page, server: Server) -> None:
    page.goto(server.url)
    page.get_by_label("Name of the group").fill("Thursdays")
    for place, name in enumerate(NAMES):
        page.locator(f"#players-{place}").fill(name)
    page.get_by_role("button", name="Create the group").tap()
    expect(page.get_by_text("/open/")).to_be_visible()
    page.get_by_role("link", name="Start a session").tap()
    page.locator("a[href$='rules=mensch']").tap()
    page.get_by_label("First dealer").select_option(label=CASE["session"]["dealer"])
    page.get_by_text("Chips and money").tap()
    page.locator("#price").fill("0,25")
    page.locator("#currency").select_option("EUR")
    page.locator("#buy_in").fill("40")
    page.get_by_role("button", name="Start the session").tap()


def test_an_evening_from_the_first_name_to_the_last_cent(phone: Page, server: Server) -> None:
    page = phone
    start_session(page, server)
    expect(page.get_by_text("Deal 1 · Dan deals")).to_be_visible()

    for number, (deal, expected) in enumerate(zip(CASE["session"]["events"], CASE["expect"]["deals"], strict=True), 1):
        assert f"{expected['dealer']} deals" in page.locator("main").inner_text()
        page.get_by_role("link", name=f"Record deal {number}").tap()
        # The third is entered wrongly at first, with another declarer.
        if number == 3:
            wrong = {**deal, "declarer": "Cleo"}
            enter(page, wrong)
        else:
            enter(page, deal)
            shown = brought(page)
            assert {name: change for name, (change, _) in shown.items()} == {
                name: signed(expected["change"][name]) for name in NAMES
            }
            if number < 3:
                assert shown == as_shown(expected)
        page.get_by_role("button", name="Record").tap()
        expect(page.get_by_role("link", name=f"Record deal {number + 1}")).to_be_visible()
        if number < 3:
            expect_on_sheet(page, number, as_shown(expected))

    # The mistake, three deals ago: open it from the score sheet, change it, and every later total follows.
    page.locator("tbody", has=page.locator(".no:has-text('3')")).locator("a.deal").tap()
    page.get_by_role("link", name="Correct").tap()
    enter(page, CASE["session"]["events"][2])
    page.get_by_role("button", name="Save the correction").tap()
    expect(page.get_by_role("heading", name="History")).to_be_visible()
    expect(page.get_by_text("Forced, Spades: Cleo with Ben")).to_be_visible()
    page.goto(page.url.split("/deals")[0])
    for number, expected in enumerate(CASE["expect"]["deals"], 1):
        expect_on_sheet(page, number, as_shown(expected))
    totals = CASE["expect"]["deals"][-1]["total"]
    expect_seated(page, {name: signed(totals[name]) for name in NAMES})

    page.locator(".menu summary").tap()
    page.get_by_role("link", name="End the session").tap()
    page.get_by_role("button", name="End the session").tap()
    expect(page.get_by_text("The session has ended.")).to_be_visible()
    said = page.locator("main").inner_text()
    for transfer in CASE["expect"]["transfers"]:
        assert f"{transfer['from']} pays {transfer['to']} {transfer['chips']} chips" in said
        assert f"€{transfer['amount']}" in said
    places = [
        (row.locator("td").first.inner_text(), row.locator("th").inner_text(), row.locator("td").last.inner_text())
        for row in page.locator("table.lines").first.locator("tbody tr").all()
    ]
    assert [(int(place), name) for place, name, _ in places] == [
        (row["place"], row["player"]) for row in CASE["expect"]["standings"]
    ]
    assert [total for _, _, total in places] == [signed(row["total"]) for row in CASE["expect"]["standings"]]

    paid = page.get_by_role("button", name="Paid")
    paid.nth(0).tap()
    expect(paid.nth(0)).to_have_attribute("aria-pressed", "true")
    expect(paid.nth(1)).to_have_attribute("aria-pressed", "false")
    done = server.command("check")
    assert (done.returncode, done.stdout) == (0, "0 differences\n")
