"""The app can be put on a home screen."""

import json

from tests.http.visitor import Visitor


def test_the_manifest_names_icons_that_are_there(visitor: Visitor) -> None:
    href = visitor.get("/").soup.select_one("link[rel=manifest]")["href"]  # type: ignore[index]
    with visitor.client.get(str(href)) as reply:
        assert reply.mimetype == "application/manifest+json"
        manifest = json.loads(reply.data)
    assert manifest["start_url"] == manifest["scope"] == "/"
    for icon in manifest["icons"]:
        with visitor.client.get(f"/static/{icon['src']}") as found:
            assert (found.status_code, found.mimetype) == (200, icon["type"])
            if icon["type"] == "image/png":
                # The width and height stand at the head of a PNG.
                width, height = (int.from_bytes(found.data[place : place + 4]) for place in (16, 20))
                assert icon["sizes"] == f"{width}x{height}"
    assert any(icon.get("purpose") == "maskable" for icon in manifest["icons"])
