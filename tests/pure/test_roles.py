"""Who may do what, cell by cell."""

import pytest

from gpucontract.accounts.roles import ACTIONS, ROLES, SIDES, Role, Side, may

# side, role, everything that role alone may do there
ALLOWED = [
    ("buyer", "drafter", "view draft upload_evidence view_checks view_policy download_appendix view_evidence"),
    (
        "buyer", "engineer",
        "view deliver confirm_delivery decide_papers enrol_agent approve_node order_runs upload_evidence view_checks view_policy download_appendix "
        "view_evidence",
    ),
    (
        "buyer", "approver",
        "view draft send waive withdraw agree sign deliver confirm_delivery decide_papers enrol_agent approve_node order_runs "
        "upload_evidence view_checks view_policy set_policy download_appendix view_evidence accept remedy terminate",
    ),
    ("buyer", "viewer", "view view_checks view_policy download_appendix view_evidence"),
    ("buyer", "confirmer", ""),
    ("buyer", "signer", ""),
    ("buyer", "admin", "view view_policy set_policy manage_members"),
    ("vendor", "drafter", ""),
    ("vendor", "engineer", ""),
    ("vendor", "approver", ""),
    ("vendor", "viewer", "view download_appendix view_evidence"),
    ("vendor", "confirmer", "view answer submit deliver hand_in enrol_agent declare_replacement download_appendix view_evidence remedy"),
    (
        "vendor", "signer",
        "view answer submit reject sign deliver hand_in enrol_agent declare_replacement download_appendix view_evidence remedy terminate",
    ),
    ("vendor", "admin", "view manage_members"),
]  # fmt: skip


@pytest.mark.parametrize(("side", "role", "allowed"), ALLOWED, ids=[f"{row[0]}-{row[1]}" for row in ALLOWED])
def test_a_role_may_do_exactly_what_the_table_says(side, role, allowed):
    assert {action for action in ACTIONS if may(side, (role,), action)} == set(allowed.split())


def test_every_side_and_role_is_in_the_table_above():
    assert {(side, role) for side, role, _ in ALLOWED} == {(side.value, role.value) for side in Side for role in Role}


def test_several_roles_add_up():
    assert may("buyer", ("viewer", "approver"), "send")


@pytest.mark.parametrize("action", ACTIONS)
def test_a_stranger_may_do_nothing(action):
    assert not may(None, tuple(Role), action)


@pytest.mark.parametrize("side", Side)
def test_without_a_role_nothing_is_allowed(side):
    assert not any(may(side, (), action) for action in ACTIONS)


def test_the_vendor_never_sees_the_buyers_checks():
    assert not may("vendor", tuple(Role), "view_checks")


def test_a_misspelt_action_is_an_error_and_not_a_no():
    with pytest.raises(KeyError):
        may("buyer", ("approver",), "sned")


def test_every_role_and_side_has_a_name_in_both_languages():
    assert set(ROLES) == set(Role)
    assert set(SIDES) == set(Side)
