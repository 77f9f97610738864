"""A complete draft, and a browser of its drafter."""

import pytest

from tests import factories


@pytest.fixture
def contract(db):
    """The sample, drafted and not yet sent."""
    return factories.drafted_contract()


@pytest.fixture
def drafter(client, bing):
    """Bing, signed in."""
    client.force_login(bing)
    return client
