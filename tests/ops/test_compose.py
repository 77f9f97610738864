"""docker-compose.yml has the right shape: there may be no Docker engine where the tests run, so its parts are checked one by one."""

import ast
import re
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
READERS = {"text", "flag", "number", "listed", "secret"}
OURS = ("migrate", "web", "worker", "beat")


def variables_read_by_settings():
    tree = ast.parse((ROOT / "gpucontract/settings.py").read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    named = [call for call in calls if call.func.id in READERS and isinstance(call.args[0], ast.Constant)]
    return {call.args[0].value for call in named}


def test_it_has_every_service_of_full_mode():
    assert set(SERVICES) == {*OURS, "postgres", "redis"}


def test_every_variable_that_settings_read_is_passed_on():
    assert variables_read_by_settings() - set(SERVICES["web"]["environment"]) == set()


def test_no_variable_is_passed_that_nobody_reads():
    assert set(SERVICES["web"]["environment"]) - variables_read_by_settings() == set()


@pytest.mark.parametrize("name", OURS)
def test_our_services_run_commands_that_exist(name):
    program, *arguments = SERVICES[name]["command"]
    if program == "python":
        commands = {path.stem for path in ROOT.glob("gpucontract/*/management/commands/*.py")} | {"migrate"}
        assert arguments[0] == "manage.py" and arguments[1] in commands
    else:
        assert program == "celery" and (Path(sys.executable).parent / "celery").exists()


@pytest.mark.parametrize("name", sorted(set(SERVICES) - {"migrate"}))
def test_long_running_services_restart_and_say_whether_they_are_healthy(name):
    assert SERVICES[name]["restart"] == "unless-stopped"
    assert SERVICES[name]["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")


@pytest.mark.parametrize("name", ("web", "worker", "beat"))
def test_nothing_starts_before_the_stores_are_healthy_and_the_schema_is_there(name):
    waits = {other: wait["condition"] for other, wait in SERVICES[name]["depends_on"].items()}
    assert waits == {
        "postgres": "service_healthy",
        "redis": "service_healthy",
        "migrate": "service_completed_successfully",
    }


def test_redis_keeps_what_it_was_told():
    assert "--appendonly" in SERVICES["redis"]["command"]
    assert SERVICES["redis"]["volumes"] == ["redis:/data"]


def test_named_volumes_are_declared_and_used():
    used = {mount.split(":")[0] for service in SERVICES.values() for mount in service.get("volumes", ())}
    assert used == set(COMPOSE["volumes"])


def test_only_the_web_port_is_published():
    assert {name for name, service in SERVICES.items() if "ports" in service} == {"web"}


def test_no_secret_is_written_down():
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    for name in ("SECRET_KEY", "EVIDENCE_KEY", "POSTGRES_PASSWORD"):
        assert re.search(rf"\${{{name}:\?", text), f"{name} must be demanded from the environment"
