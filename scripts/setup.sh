#!/bin/sh
# Makes .venv and what the PDF renderer needs, on a machine that has only Python 3.11+, make and apt. Safe to run again.
set -eu
cd "$(dirname "$0")/.."

say() { printf 'setup: %s\n' "$*"; }
stop() { printf 'setup: %s\n' "$*" >&2; exit 1; }
may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }
apt_install() {
    [ -n "${APT_UPDATED:-}" ] || { apt-get update -qq; APT_UPDATED=1; }
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

find_python() {
    for name in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$name"
            return
        fi
    done
    stop "no Python 3.11 or newer found; install one (Debian 12, Ubuntu 24.04: apt install python3) and run make again"
}

make_venv() {
    python=$(find_python)
    if ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        may_install || stop "Python's venv module is missing; run as root: apt install python$version-venv"
        say "installing python$version-venv"
        apt_install "python$version-venv" || apt_install python3-venv
    fi
    say "creating .venv with $("$python" --version)"
    "$python" -m venv --clear .venv
}

install_packages() {
    say "installing Python packages (a few minutes the first time)"
    .venv/bin/python -m pip install --quiet --upgrade "pip>=25.1"
    .venv/bin/python -m pip install --quiet -r requirements.txt
    .venv/bin/python -m pip install --quiet --group dev
}

# Library file -> Debian package. Without the last one PDFs still come, five times slower.
missing_libraries() {
    .venv/bin/python - <<'PY'
import ctypes
for library, package in (
    ("libpango-1.0.so.0", "libpango-1.0-0"),
    ("libpangoft2-1.0.so.0", "libpangoft2-1.0-0"),
    ("libharfbuzz-subset.so.0", "libharfbuzz-subset0"),
):
    try:
        ctypes.CDLL(library)
    except OSError:
        print(package)
PY
}

install_libraries() {
    missing=$(missing_libraries | tr '\n' ' ')
    [ -n "$missing" ] || return 0
    may_install || stop "system libraries for PDFs are missing; run as root: apt install $missing"
    say "installing $missing"
    # shellcheck disable=SC2086
    apt_install $missing
    missing=$(missing_libraries | tr '\n' ' ')
    [ -z "$missing" ] || stop "still missing after apt install: $missing"
}

wanted=$(cat requirements.txt pyproject.toml scripts/setup.sh | cksum)
if [ "$(cat .venv/installed 2>/dev/null || true)" != "$wanted" ]; then
    [ -x .venv/bin/python ] && .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || make_venv
    install_packages
    printf '%s' "$wanted" > .venv/installed
fi
install_libraries
.venv/bin/python scripts/translations.py compile
