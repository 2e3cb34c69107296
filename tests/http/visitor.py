"""Somebody with a browser: follows links and sends the forms that pages really show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import urljoin, urlsplit

from bs4 import BeautifulSoup, Tag
from flask import Flask
from werkzeug.datastructures import MultiDict
from werkzeug.test import TestResponse

FormValue = str | int | Iterable[str | int]


@dataclass
class Form:
    """A form as a page shows it: what a browser would send if nothing were changed."""

    element: Tag
    page: Page
    data: MultiDict[str, object] = field(init=False)

    def __post_init__(self) -> None:
        self.data = MultiDict(_successful(self.element))

    @property
    def action(self) -> str:
        return urljoin(self.page.path, str(self.element.get("action") or self.page.path)).split("#")[0]

    def fill(self, **values: FormValue | None) -> Form:
        """Change what is entered; None leaves a control out. A field that is not on the page is an error."""
        names = {control["name"] for control in self.element.select("[name]")}
        for name, value in values.items():
            if name not in names:
                raise LookupError(f"the form has no field {name!r}, only {sorted(map(str, names))}")
            self.data.poplist(name)
            if value is None:
                continue
            for one in [value] if isinstance(value, str | int) else value:
                self.data.add(name, str(one))
        return self

    def submit(self, button: str | None = None) -> Page:
        """Send the form with the button whose words are *button* (the first one otherwise), and follow redirects."""
        elsewhere = self.page.soup.select(f"button[form='{self.element['id']}']") if self.element.get("id") else []
        buttons = [one for one in (*self.element.select("button"), *elsewhere) if one.get("type", "submit") == "submit"]
        pressed = next((one for one in buttons if button is None or button in one.get_text()), None)
        if button is not None and pressed is None:
            raise LookupError(f"no button says {button!r}")
        data = MultiDict(self.data)
        action = self.action
        if pressed is not None:
            if pressed.get("name"):
                data.add(str(pressed["name"]), str(pressed.get("value", "")))
            action = urljoin(self.page.path, str(pressed.get("formaction") or action))
        if str(self.element.get("method", "get")).lower() == "get":
            return self.page.visitor.get(action, query_string=data)
        multipart = self.element.get("enctype") == "multipart/form-data"
        return self.page.visitor.post(
            action, data=data, content_type="multipart/form-data" if multipart else "application/x-www-form-urlencoded"
        )


@dataclass
class Page:
    """What a visitor sees."""

    visitor: Visitor
    response: TestResponse

    @cached_property
    def soup(self) -> BeautifulSoup:
        return BeautifulSoup(self.html, "html.parser")

    @property
    def html(self) -> str:
        return self.response.get_data().decode(errors="replace")

    @property
    def status(self) -> int:
        return self.response.status_code

    @property
    def path(self) -> str:
        """The address after redirects."""
        return urlsplit(self.response.request.url).path

    @property
    def text(self) -> str:
        """All visible text, with single spaces."""
        return " ".join(self.soup.get_text(" ").split())

    def forms(self) -> list[Form]:
        return [Form(element, self) for element in self.soup.select("form")]

    def form(self, action: str) -> Form:
        """The form whose action ends in *action*."""
        found = [form for form in self.forms() if form.action.endswith(action)]
        if len(found) != 1:
            raise LookupError(f"{len(found)} forms for {action!r}; there are {[form.action for form in self.forms()]}")
        return found[0]

    def link(self, words: str) -> str:
        """Where the link with these words leads."""
        found = next((link for link in self.soup.select("a[href]") if words in link.get_text(" ")), None)
        if found is None:
            raise LookupError(f"no link says {words!r}")
        return urljoin(self.path, str(found["href"]))

    def follow(self, words: str) -> Page:
        return self.visitor.get(self.link(words))

    def errors(self) -> dict[str, str]:
        """What is said beside each control that does not fit, by the control's id."""
        return {
            str(error["id"]).removesuffix("-error"): " ".join(error.get_text(" ").split())
            for error in self.soup.select(".error[id]")
        }


class Visitor:
    """A browser with its own cookies, looking at *app*."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.client = app.test_client()

    def get(self, path: str, **options: object) -> Page:
        return Page(self, self.client.get(path, follow_redirects=True, **options))

    def post(self, path: str, **options: object) -> Page:
        return Page(self, self.client.post(path, follow_redirects=True, **options))


def _successful(form: Tag) -> list[tuple[str, object]]:
    """The controls that a browser would send, in order."""
    sent: list[tuple[str, object]] = []
    for control in form.find_all(("input", "select", "textarea"), attrs={"name": True}):
        if control.has_attr("disabled") or control.find_parent("fieldset", disabled=True):
            continue
        name = str(control["name"])
        kind = str(control.get("type", "text")) if control.name == "input" else control.name
        if kind in ("radio", "checkbox"):
            if control.has_attr("checked"):
                sent.append((name, str(control.get("value", "on"))))
        elif kind == "select":
            options = control.select("option")
            chosen = [option for option in options if option.has_attr("selected")] or options[:1]
            sent += [(name, str(option.get("value", option.get_text()))) for option in chosen]
        elif kind == "textarea":
            sent.append((name, control.get_text()))
        elif kind not in ("submit", "button", "image", "reset", "file"):
            sent.append((name, str(control.get("value", ""))))
    return sent
