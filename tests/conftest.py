"""The people every room's tests know: two of each side, and two strangers who must see nothing."""

import pytest
from django.conf import settings
from django.db import connection

from tests import factories

# A password's hash is slow on purpose; hundreds of signed-in people of tests would pay for it.
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def intruder(db):
    """Somebody with a hand in the database itself: for this test PostgreSQL's guards of the journals look away."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")


@pytest.fixture
def bing(db):
    """The buyer's drafter."""
    return factories.person("bing")


@pytest.fixture
def ada(db):
    """The buyer's approver."""
    return factories.person("ada")


@pytest.fixture
def eng(db):
    """The buyer's engineer."""
    return factories.person("eng")


@pytest.fixture
def wen(db):
    """The buyer's viewer."""
    return factories.person("wen")


@pytest.fixture
def adam(db):
    """The buyer's admin, who draws up no contracts."""
    return factories.person("adam")


@pytest.fixture
def vera(db):
    """The vendor's confirmer."""
    return factories.person("vera")


@pytest.fixture
def sun(db):
    """The vendor's signer."""
    return factories.person("sun")


@pytest.fixture
def mallory(db):
    """Everything at once in another vendor."""
    return factories.person("mallory")


@pytest.fixture
def zoe(db):
    """The approver of another buyer."""
    return factories.person("zoe")
