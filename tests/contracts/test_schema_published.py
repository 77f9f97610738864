"""The JSON Schema lies with the docs as it is used."""

import json
from pathlib import Path

from gpucontract.contracts.interchange_schema import schema

PUBLISHED = Path(__file__).resolve().parents[2] / "docs" / "contract-schema.json"


def test_the_published_schema_is_up_to_date():
    held = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    assert held == json.loads(json.dumps(schema())), "run: make schema"
