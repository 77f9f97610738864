"""What a browser posts: a step's inputs read from its HTML, so that tests change only what they are about."""

from html.parser import HTMLParser

from django.urls import reverse


class _Inputs(HTMLParser):
    """Collects the successful controls of the wizard's form."""

    def __init__(self) -> None:
        super().__init__()
        self.posted: dict[str, list[str]] = {}
        self.select = self.area = ""
        self.inside = False

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "form":
            self.inside = given.get("id") == "step-form"
        if not self.inside:
            return
        if tag == "select":
            self.select = given["name"]
        if tag == "textarea":
            self.area = given["name"]
            self.posted[self.area] = [""]
        if tag == "option" and self.select and "selected" in given:
            self.posted[self.select] = [given["value"]]
        if tag == "input" and (given.get("type") not in ("radio", "checkbox") or "checked" in given):
            self.posted.setdefault(given["name"], []).append(given.get("value") or "")

    def handle_data(self, data):
        if self.area:
            self.posted[self.area][0] += data

    def handle_endtag(self, tag):
        if tag == "select":
            self.select = ""
        if tag == "textarea":
            # A browser drops the line break right after the tag.
            self.posted[self.area][0] = self.posted[self.area][0].removeprefix("\n")
            self.area = ""


def typed_on(page: str) -> dict[str, list[str]]:
    """Every input of the step form with the value a browser would post."""
    reader = _Inputs()
    reader.feed(page)
    return reader.posted


def url(contract, step, name="contract-draft-step"):
    """The address of a step, or of its autosave."""
    return reverse(name, args=[contract.uuid, step])


def shown(client, contract, step):
    """The inputs of a step as they stand."""
    return typed_on(client.get(url(contract, step)).content.decode())


def post(client, contract, step, act="save", **changes):
    """Post the page as it stands, with changed inputs; a dash in a name is written as two underscores."""
    changed = {name.replace("__", "-"): value for name, value in changes.items()}
    return client.post(url(contract, step), shown(client, contract, step) | changed | {"act": act})
