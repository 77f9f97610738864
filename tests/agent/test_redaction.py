"""Secrets leave the text before it is hashed; what parsers need stays exactly as it was."""

import pytest

from gpucontract.agent.redaction import MARK, redact, redact_env
from tests.agent.running import RECORDINGS

TAKEN_OUT = [
    ("HF_TOKEN=hf_abc NEXT=1", f"HF_TOKEN={MARK} NEXT=1"),
    ("AWS_SECRET_ACCESS_KEY=abc/de+f AWS_ACCESS_KEY_ID=AKX", f"AWS_SECRET_ACCESS_KEY={MARK} AWS_ACCESS_KEY_ID={MARK}"),
    ('docker run -e DB_PASSWORD="a b c" image', f"docker run -e DB_PASSWORD={MARK} image"),
    ("PASSWORD=a,b;c d", f"PASSWORD={MARK} d"),
    ("MYAPPKEY=12345", f"MYAPPKEY={MARK}"),
    ("secretKey=abc;x=1", f"secretKey={MARK};x=1"),
    ("api_key = abc", f"api_key = {MARK}"),
    ("rw,name=gpu,secret=AQBx==,acl", f"rw,name=gpu,secret={MARK},acl"),
    ("rw,username=bob,password=p@ss,vers=3.0", f"rw,username=bob,password={MARK},vers=3.0"),
    ("rw,credentials=/etc/cifs.cred,uid=0", f"rw,credentials={MARK},uid=0"),
    ("rw,pass=geheim,dir_mode=0755", f"rw,pass={MARK},dir_mode=0755"),
    ('"options": "rw,password=abc,ro"', f'"options": "rw,password={MARK},ro"'),
    ('{"o":"TOKEN=\\"a b\\" x"}', f'{{"o":"TOKEN={MARK} x"}}'),
    ('"password": "x\\"y", "n": 3', f'"password": "{MARK}", "n": 3'),
    ('"registry_token" : "abc"', f'"registry_token" : "{MARK}"'),
    ('{"env":{"A":"b}","C":{"d":1}},"size":1073741824}', '{"env":{},"size":1073741824}'),
    ('{"env" : {"A": "cut off in the mid', '{"env" : {}'),
    ('"Env": ["A=b", "C=d"], "x": 2', '"Env": [], "x": 2'),
    ('"environment":{"A":"}"},"x":2', '"environment":{},"x":2'),
    ("Authorization: Bearer abc", f"Authorization: {MARK}"),
    ("Authorization: Basic dXNlcjpwYXNz", f"Authorization: {MARK}"),
    ("sent bearer a1b2c3d4e5f6 along", f"sent bearer {MARK} along"),
    ("HTTP Proxy: http://user:p@ss@proxy:3128/", f"HTTP Proxy: http://{MARK}@proxy:3128/"),
    ("https://ghp_x@github.com/a.git", f"https://{MARK}@github.com/a.git"),
    ("JuiceFS redis://:pw@10.0.0.1:6379/1", f"JuiceFS redis://{MARK}@10.0.0.1:6379/1"),
    ("token: abc", f"token: {MARK}"),
    ("x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc y", f"x {MARK} y"),
    ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nnext", f"{MARK}\nnext"),
    ("-----BEGIN PRIVATE KEY-----\ncut off", MARK),
]
LEFT_ALONE = [
    "   134217728      33554432     float     sum      -1    585.5  229.26  401.20      0",
    "rw,name=gpu,secret=<hidden>,acl",
    "10.20.0.12@o2ib:10.20.0.13@o2ib:/lfs",
    "ssh://git@host/repository",
    "NCCL_IB_PKEY=5 NCCL_IB_GID_INDEX=3 max_tokens=4096 monkey=5",
    "Port GUID: 0xa288c2fffe00c810",
    '{"env" : {}, "env":[]}',
    "rw,user_id=0,group_id=0,default_permissions,allow_other",
    "node-02:52122:52166 [4] NCCL INFO NET/IB: qpn 4711 <- 4712 mtu 5 LID 33",
    "Serial Number: 1650000000001",
    "basic functionality works",
]


@pytest.mark.parametrize(("text", "expected"), TAKEN_OUT, ids=[text[:40] for text, _ in TAKEN_OUT])
def test_it_takes_the_secret_out_and_leaves_the_rest(text, expected):
    kept, notes = redact(text)
    assert (kept, bool(notes)) == (expected, True)


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_it_leaves_alone_what_is_no_secret(text):
    assert redact(text) == (text, [])


@pytest.mark.parametrize("text", [text for text, _ in TAKEN_OUT])
def test_filtered_text_stays_as_it_is(text):
    """The server runs the same filter as a check: what the agent let through must not look like a leak."""
    once, _ = redact(text)
    assert redact(once) == (once, [])


def test_the_notes_say_what_was_taken_out_and_never_the_secret():
    _, notes = redact('A_TOKEN=one B_KEY=two "env":{"X":"three"} http://u:four@h')
    assert notes == ["JSON env object x 1", "URL credentials x 1", "assignment x 2"]


def test_no_recording_is_changed_by_it():
    files = [path for path in RECORDINGS.rglob("*") if path.is_file()]
    texts = {path: path.read_text(encoding="utf-8") for path in files if path.name != "README.md"}
    assert [str(path) for path, text in texts.items() if redact(text) != (text, [])] == []
    assert len(texts) > 100


def test_a_variable_is_secret_by_its_name_or_by_its_value():
    env = {"HF_TOKEN": "one two", "NCCL_DEBUG": "INFO", "X": "http://u:p@h", "A_KEY": MARK}
    assert redact_env(env) == (
        {"HF_TOKEN": MARK, "NCCL_DEBUG": "INFO", "X": f"http://{MARK}@h", "A_KEY": MARK},
        ["environment HF_TOKEN", "environment X"],
    )
