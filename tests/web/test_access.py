"""Every named page of this project x every person: strangers get 404, members without the right 403."""

import pytest
from django.urls import get_resolver, reverse

from tests import factories
from tests.web import stage

pytestmark = pytest.mark.django_db
PEOPLE = ("anonymous", "bing", "ada", "eng", "wen", "vera", "sun", "mallory", "zoe")
STRANGERS = (404, 404)

# Codes in the order of PEOPLE. 302 to the sign-in page for the anonymous; a POST that is allowed is not made here.
ALL = (302, *[200] * 8)
READERS = (302, *[200] * 6, *STRANGERS)
DRAFTERS = (302, 200, 200, 403, 403, 403, 403, 403, 200)
VENDOR_ONLY = (302, *[403] * 4, 200, 200, *STRANGERS)
MEMBERS = (302, *[200] * 4, *[404] * 4)
NOBODY_NOW = (302, 409, 409, 403, 403, 403, 403, *STRANGERS)
GET = {
    "dashboard": ALL,
    "health": (200, *[200] * 8),
    "contract-list": ALL,
    "catalogue": ALL,
    "catalogue-gpu": ALL,
    "paste": ALL,
    "organisation-list": (302, *[302] * 8),
    "organisation-detail": MEMBERS,
    "organisation-policy": MEMBERS,
    "mandate-letter": MEMBERS,
    "contract-new": DRAFTERS,
    "contract-import": DRAFTERS,
    "contract-template": ALL,
    "draft-schema": ALL,
    "own-template": (302, 200, 200, 403, 403, *[404] * 4),
    "contract-save-template": (302, 200, 200, 403, 403, 403, 403, *STRANGERS),
    "contract-clauses": READERS,
    "contract-draft-clauses": (302, *[200] * 4, 403, 403, *STRANGERS),
    "contract-spec-sheet": NOBODY_NOW,
    "spec-sheet": (302, *[404] * 8),
    "contract-draft-json": (302, *[200] * 4, 403, 403, *STRANGERS),
    "contract-detail": READERS,
    "contract-journal": READERS,
    "contract-journal-csv": READERS,
    "contract-journal-json": READERS,
    "contract-answers": VENDOR_ONLY,
    "contract-answers-list": VENDOR_ONLY,
    "contract-rounds": READERS,
    "contract-line": READERS,
    "contract-compare": (302, *[404] * 8),
    "contract-compare-amended": (302, *[404] * 8),
    "contract-sign": READERS,
    "contract-documents": READERS,
    "contract-file": (302, *[404] * 8),
    "contract-answer-file": (302, *[404] * 8),
    "contract-appendix-state": READERS,
    "contract-appendix": (302, *[404] * 8),
    "contract-papers": READERS,
    "contract-remedies": READERS,
    "paper-file": READERS,
    "contract-runs": READERS,
    "contract-fleet": READERS,
    "contract-evidence": READERS,
    "run-detail": READERS,
    "run-raw": (302, *[404] * 8),
    "run-output": (302, *[404] * 8),
    "contract-draft": NOBODY_NOW,
    "contract-draft-check": NOBODY_NOW,
    "contract-vendor": NOBODY_NOW,
    "contract-draft-step": NOBODY_NOW,
    "contract-draft-panel": NOBODY_NOW,
    "contract-draft-more": NOBODY_NOW,
}
# Who is let through to the service; the others' codes are exact.
POST = {
    "set-language": PEOPLE,
    "invitation": PEOPLE,
    # Asks the password again, which these people have not.
    "account-factor": PEOPLE[1:],
    "contract-spec-sheet": ("bing", "ada"),
    "spec-sheet-drop": (),
    "own-template": ("bing", "ada"),
    "own-template-delete": ("bing", "ada"),
    "contract-save-template": ("bing", "ada"),
    "contract-draft-ready": ("bing", "ada"),
    "contract-draft-send": ("ada",),
    "contract-draft-waive": ("ada",),
    "contract-draft-autosave": ("bing", "ada"),
    "contract-draft-step": ("bing", "ada"),
    "contract-waive": ("ada",),
    "contract-waiver-withdraw": ("ada",),
    "contract-reopen": ("ada",),
    "contract-withdraw": ("ada",),
    "contract-answers": ("vera", "sun"),
    "contract-answers-list": ("vera", "sun"),
    "contract-reject": ("sun",),
    "contract-comment-shared": ("bing", "ada", "vera", "sun"),
    "contract-comment-internal": ("bing", "ada", "eng", "wen", "vera", "sun"),
    "contract-decide": ("bing", "ada"),
    "contract-extend": ("ada",),
    "contract-four-eyes": ("ada",),
    "contract-amend": ("bing", "ada"),
    "contract-sign": ("ada", "sun"),
    "contract-name-signer": ("vera", "sun"),
    "sign-out-everywhere": PEOPLE[1:],
    "contract-appendix-state": ("bing", "ada", "eng", "wen", "vera", "sun"),
    "contract-paper": ("vera", "sun"),
    "paper-decide": ("ada", "eng"),
    "contract-deliver": ("ada", "eng", "vera", "sun"),
    "contract-handover": ("ada", "eng"),
    "contract-accept": ("ada",),
    "contract-terminate": ("ada", "sun"),
    "contract-remedy": ("ada", "vera", "sun"),
    "remedy-decide": ("ada", "vera", "sun"),
    "remedy-withdraw": ("ada", "vera", "sun"),
    "contract-order": ("ada", "eng"),
    "contract-retest": ("ada", "eng"),
    "node-enrol": ("ada", "eng", "vera", "sun"),
    "node-replacement": ("vera", "sun"),
    "replacement-decide": ("ada", "eng"),
    "run-retry": ("ada", "eng"),
    "run-cancel": ("ada", "eng"),
}


# Pages of the buyer's organisation, for its admin alone; GET where it is a page, else POST.
ADMIN = (
    "organisation-invite", "organisation-journal", "organisation-journal-csv", "organisation-journal-json", "member-detail", "member-remove", "member-hand-over",
    "member-mandate", "mandate-revoke", "invitation-revoke", "invitation-again",
)  # fmt: skip


@pytest.fixture
def scene(db):
    return stage.measured()


def ours():
    """The project's own URLs; allauth's are tested by their makers."""
    for pattern in get_resolver().url_patterns:
        if str(pattern.pattern) == "":
            yield from pattern.url_patterns


def address(name, scene):
    things = {
        "uuid": scene.contract.uuid,
        "step": "nodes",
        "gpu": "h100-sxm5-80gb",
        "number": 1,
        "old": 1,
        "new": 2,
        "which": "nodes",
        "key": "g1/ram",
        "place": 1,
        "file": scene.contract.uuid,
        "template": "gb200-rack",
        "kind": "docx",
    }
    if name.startswith("own-"):
        things["uuid"] = scene.template.uuid
    if name.startswith("run-"):
        things["uuid"] = scene.run.uuid
    if name.startswith("node-"):
        things["uuid"] = scene.node.uuid
    if name.startswith(("organisation-", "member-")):
        things |= {"uuid": scene.contract.buyer.uuid, "member": factories.person("wen").memberships.get().pk}
    if name.startswith("replacement-"):
        things["uuid"] = stage.replacement_of(scene.node).uuid
    if name.startswith("remedy-"):
        things["uuid"] = stage.remedy_of(scene.contract).uuid
    if name.startswith("paper-"):
        things["uuid"] = stage.paper_of(scene.contract).uuid
    if name.startswith("mandate-"):
        things["uuid"] = stage.letter_of("ada").uuid
    if name.startswith("invitation"):
        things |= {"uuid": stage.invitation().uuid, "token": stage.TOKEN}
    wanted = next(each.pattern.converters for each in ours() if each.name == name)
    return reverse(name, kwargs={key: things[key] for key in wanted})


def sign_in(client, person):
    if person != "anonymous":
        client.force_login(factories.person(person))


def test_every_named_page_stands_in_a_table():
    assert {each.name for each in ours()} == set(GET) | set(POST) | set(ADMIN)


@pytest.mark.parametrize("person", PEOPLE)
def test_reading_pages_answer_each_person_as_the_table_says(client, scene, person):
    sign_in(client, person)
    found = {name: client.get(address(name, scene)).status_code for name in GET}
    assert found == {name: codes[PEOPLE.index(person)] for name, codes in GET.items()}


@pytest.mark.parametrize("person", PEOPLE)
def test_acting_pages_refuse_everybody_but_those_in_the_table(client, scene, person):
    sign_in(client, person)
    refused = {name for name, allowed in POST.items() if person not in allowed}
    found = {name: client.post(address(name, scene), {"act": "save"}).status_code for name in refused}
    assert found == {name: refusal(name, person) for name in refused}


def refusal(name, person):
    """An organisation's own things are unknown to everybody outside it, a sheet to all but who uploaded it."""
    if name.startswith("spec-sheet") and person != "anonymous":
        return 404
    outside = ("mallory", "zoe", "vera", "sun") if name.startswith("own-") else ("mallory", "zoe")
    return 302 if person == "anonymous" else 404 if person in outside else 403


@pytest.mark.parametrize(
    "name", sorted(set(POST) - {"set-language", "account-factor", "invitation", "sign-out-everywhere"})
)
def test_acting_pages_let_those_in_the_table_through(client, scene, name):
    for person in POST[name]:
        sign_in(client, person)
        code = client.post(address(name, scene), {"act": "save"}).status_code
        assert code not in (403, 404), f"{person} on {name}: {code}"


def ask(client, name, scene):
    is_page = name.startswith("organisation-journal") or name == "member-detail"
    return (client.get if is_page else client.post)(address(name, scene)).status_code


@pytest.mark.parametrize("person", PEOPLE)
def test_what_the_admin_does_is_refused_to_everybody_else(client, scene, person):
    sign_in(client, person)
    own = person in ("bing", "ada", "eng", "wen")
    expected = 302 if person == "anonymous" else 403 if own else 404
    assert {name: ask(client, name, scene) for name in ADMIN} == dict.fromkeys(ADMIN, expected)


@pytest.mark.parametrize("name", ADMIN)
def test_the_admin_is_let_through(client, scene, name):
    sign_in(client, "adam")
    assert ask(client, name, scene) in (200, 302, 422)


@pytest.mark.parametrize("person", (*PEOPLE, "adam"))
def test_limits_of_the_checks_are_moved_by_approver_and_admin_alone(client, scene, person):
    sign_in(client, person)
    expected = {"ada": 302, "adam": 302, "bing": 403, "eng": 403, "wen": 403}.get(
        person, 302 if person == "anonymous" else 404
    )
    assert client.post(address("organisation-policy", scene), {"claim_days": "60"}).status_code == expected


def test_the_admin_reads_the_contract_and_changes_nothing_in_it(client, scene):
    sign_in(client, "adam")
    found = {name: client.get(address(name, scene)).status_code for name in ("contract-detail", "contract-runs")}
    assert found == {"contract-detail": 200, "contract-runs": 403}


@pytest.mark.parametrize("person", ["vera", "sun"])
def test_a_vendor_finds_nothing_before_a_revision_is_sent(client, person):
    contract = factories.drafted_contract()
    sign_in(client, person)
    for name in ("contract-detail", "contract-journal", "contract-answers", "contract-sign", "contract-runs"):
        assert client.get(reverse(name, args=[contract.uuid])).status_code == 404
    page = client.get("/contracts/").content.decode()
    assert contract.number not in page
