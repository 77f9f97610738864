# make demo and make test work on a fresh machine with only Python 3.11+, make and apt.
PY := .venv/bin/python
VAR ?= var
PORT ?= 8000
DEV := DEBUG=True VAR_DIR=$(VAR)/dev
TESTS := DEBUG=True VAR_DIR=$(VAR)/test
# Every process has a database of its own, so more than a few cost more than they bring.
SIDE_BY_SIDE := --numprocesses auto --maxprocesses 8 --dist worksteal
.PHONY: setup secrets demo run test browser-test services-test lint format messages schema bench

setup:
	@sh scripts/setup.sh

secrets:
	@mkdir -p $(VAR) && umask 077 && for name in secret_key evidence_key; do \
	  [ -s $(VAR)/$$name ] || $(PY) -c 'import secrets; print(secrets.token_urlsafe(48))' > $(VAR)/$$name; done
# Mails lead where the site is served.
BASE_URL ?= http://127.0.0.1:$(PORT)
SITE = SECRET_KEY_FILE=$(VAR)/secret_key EVIDENCE_KEY_FILE=$(VAR)/evidence_key BASE_URL=$(BASE_URL)
# The demo's mails would push its list of people off the screen.
TO_FILES := EMAIL_BACKEND=django.core.mail.backends.filebased.EmailBackend

# ONCE=1 ends after the table of verdicts instead of serving until Ctrl-C; CODE=1 prints the signers' second factors.
demo: setup secrets
	@$(SITE) VAR_DIR=$(VAR)/demo AGENT_NETWORKS=127.0.0.0/8 $(TO_FILES) $(PY) manage.py demo --port $(PORT) $(if $(ONCE),--once) $(if $(HEALTHY),--healthy) $(if $(CODE),--code)

run: setup secrets
	@$(SITE) VAR_DIR=$(VAR) $(PY) manage.py migrate --verbosity 0
	@$(SITE) VAR_DIR=$(VAR) $(PY) manage.py serve --bind 127.0.0.1:$(PORT)

test: setup
	@$(TESTS) $(PY) -m pytest $(SIDE_BY_SIDE) $(ARGS)

# Needs Chromium (apt install chromium).
browser-test: setup
	@$(TESTS) DJANGO_ALLOW_ASYNC_UNSAFE=true $(PY) -m pytest -m browser tests/browser $(ARGS)

# The same suite on PostgreSQL and Redis, then a real worker and beat. Needs DATABASE_URL and REDIS_URL.
services-test: setup
	@[ -n "$$DATABASE_URL" ] && [ -n "$$REDIS_URL" ] || { echo "services-test: set DATABASE_URL (postgres://...) and REDIS_URL (redis://...)"; exit 2; }
	@$(TESTS) $(PY) -m pytest $(SIDE_BY_SIDE) $(ARGS)
	@$(TESTS) $(PY) -m pytest -m services tests/services $(ARGS)

lint: setup
	@$(PY) -m ruff check . && $(PY) -m ruff format --check .
	@$(DEV) $(PY) -m mypy
	@.venv/bin/lint-imports --no-cache
	@$(DEV) $(PY) manage.py makemigrations --check --dry-run
	@$(DEV) $(PY) manage.py check --fail-level WARNING
	@$(PY) scripts/translations.py check

format:
	@$(PY) -m ruff check --fix . && $(PY) -m ruff format .

# Needs GNU gettext (apt install gettext).
messages:
	@$(PY) scripts/translations.py update

# The JSON Schema of exported drafts, made from the terms.
schema: setup
	@$(PY) -m gpucontract.contracts.interchange_schema > docs/contract-schema.json

bench: setup
	@$(DEV) $(PY) -m benchmarks $(ONLY)
