"""What the pages are measured against: one SQLite query and a small template, and a bare insert that is as durable."""

from __future__ import annotations

import os
import sqlite3
import threading

from flask import Flask, redirect, render_template_string, request
from werkzeug.wrappers import Response

PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{{ title }}</title></head>
<body><h1>{{ title }}</h1>
<ul>{% for name, points in rows %}<li>{{ name }}: {{ points }}</li>{% endfor %}</ul>
</body>
</html>"""

app = Flask(__name__)
_own = threading.local()


def connection() -> sqlite3.Connection:
    """The thread's own connection, set up as ours are."""
    if not hasattr(_own, "connection"):
        _own.connection = sqlite3.connect(os.environ["REFERENCE_DATABASE"], isolation_level=None)
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=5000"):
            _own.connection.execute(f"PRAGMA {pragma}")
    found: sqlite3.Connection = _own.connection
    return found


def prepare(path: str) -> None:
    """Make the database at *path*."""
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE score (id INTEGER PRIMARY KEY, name TEXT NOT NULL, points INTEGER NOT NULL)")
        made.executemany("INSERT INTO score (name, points) VALUES (?, ?)", [("Ann", 1), ("Ben", -1)] * 6)
    made.close()


@app.get("/")
def page() -> str:
    rows = connection().execute("SELECT name, points FROM score ORDER BY id LIMIT 12").fetchall()
    return render_template_string(PAGE, title="Scores", rows=rows)


@app.post("/")
def insert() -> Response:
    values = request.form["name"], int(request.form["points"])
    connection().execute("INSERT INTO score (name, points) VALUES (?, ?)", values)
    return redirect("/", 303)
