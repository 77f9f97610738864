"""Settings, read from the environment by typed readers that refuse odd values."""

import os
import sys
from datetime import timedelta
from pathlib import Path

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

BASE_DIR = Path(__file__).resolve().parent.parent


def text(name: str, default: str = "") -> str:
    """A variable, or the content of the file that NAME_FILE points to."""
    path = os.environ.get(f"{name}_FILE")
    if path:
        try:
            return Path(path).read_text(encoding="utf-8").strip()
        except OSError as fault:
            raise ImproperlyConfigured(f"{name}_FILE={path} cannot be read: {fault}") from fault
    return os.environ.get(name, default)


def flag(name: str, default: bool = False) -> bool:
    """True or False exactly; anything else is refused."""
    value = text(name, str(default))
    if value not in ("True", "False"):
        raise ImproperlyConfigured(f"{name}={value!r} must be True or False")
    return value == "True"


def number(name: str, default: int) -> int:
    """A whole number."""
    value = text(name, str(default))
    if not value.isdecimal():
        raise ImproperlyConfigured(f"{name}={value!r} must be a whole number")
    return int(value)


def listed(name: str, default: str = "") -> list[str]:
    """Comma-separated words."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def secret(name: str, stand_in: str) -> str:
    """A secret; outside DEBUG there is no default but for the offline judge, which signs and opens nothing."""
    value = text(name)
    if not value and not DEBUG and sys.argv[1:2] != ["judge"]:
        raise ImproperlyConfigured(f"{name} is not set: give it in the environment or point {name}_FILE at a file")
    return value or stand_in


DEBUG = flag("DEBUG")
SECRET_KEY = secret("SECRET_KEY", "only-for-development-never-in-production")
EVIDENCE_KEY = secret("EVIDENCE_KEY", "only-for-development-evidence-key")
ALLOWED_HOSTS = listed("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = listed("CSRF_TRUSTED_ORIGINS")
BASE_URL = text("BASE_URL", "http://localhost:8000").rstrip("/")
VAR_DIR = Path(text("VAR_DIR", str(BASE_DIR / "var")))
REDIS_URL = text("REDIS_URL")
AGENT_NETWORKS = listed("AGENT_NETWORKS")

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "crispy_forms",
    "crispy_bootstrap5",
    "csp",
    "gpucontract.accounts",
    "gpucontract.contracts",
    "gpucontract.measurements",
    "gpucontract.verdicts",
    "gpucontract.documents",
    "gpucontract.web",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "gpucontract.web.middleware.LostSessionMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "gpucontract.web.middleware.PresenceMiddleware",
    "gpucontract.web.middleware.RefusalMiddleware",
]

ROOT_URLCONF = "gpucontract.urls"
WSGI_APPLICATION = "gpucontract.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]
CRISPY_ALLOWED_TEMPLATE_PACKS = "bootstrap5"
CRISPY_TEMPLATE_PACK = "bootstrap5"

DATABASES = {"default": dj_database_url.parse(text("DATABASE_URL", f"sqlite:///{VAR_DIR / 'gpucontract.sqlite3'}"))}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # IMMEDIATE: a read that turns into a write inside one transaction would otherwise fail while agents are pulled.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA cache_size=-20000;",
    }
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 60
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {
    "default": (
        {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
        if REDIS_URL
        else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    )
}

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "dashboard"
ACCOUNT_ADAPTER = "gpucontract.accounts.adapter.AccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_SUBJECT_PREFIX = "gpucontract: "
MFA_ADAPTER = "gpucontract.accounts.mfa.MFAAdapter"
MFA_FORMS = {
    "add_webauthn": "gpucontract.web.forms.factors.AddKeyForm",
    "edit_webauthn": "gpucontract.web.forms.factors.EditKeyForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_TOTP_ISSUER = "gpucontract"
# The code before and after count too: telephones' clocks are off by seconds.
MFA_TOTP_TOLERANCE = 1
# Sign-in by the company's identity provider, beside passwords: all three of these, or none.
OIDC_SERVER_URL = text("OIDC_SERVER_URL").rstrip("/")
OIDC_CLIENT_ID = text("OIDC_CLIENT_ID")
OIDC_CLIENT_SECRET = text("OIDC_CLIENT_SECRET")
OIDC_NAME = text("OIDC_NAME", "SSO")
SOCIALACCOUNT_ADAPTER = "gpucontract.accounts.company_sign_in.CompanyAdapter"
SOCIALACCOUNT_EMAIL_AUTHENTICATION = True
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
# A link instead of a form: the policy of forms keeps them on this site, and the way to the provider leads away.
SOCIALACCOUNT_LOGIN_ON_GET = True
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": "company",
                "name": OIDC_NAME,
                "client_id": OIDC_CLIENT_ID,
                "secret": OIDC_CLIENT_SECRET,
                "settings": {"server_url": OIDC_SERVER_URL},
            }
        ]
        if OIDC_SERVER_URL
        else [],
    }
}
ALLAUTH_TRUSTED_PROXY_COUNT = number("TRUSTED_PROXY_COUNT", 0)

LANGUAGE_CODE = "zh-hans"
LANGUAGES = [("zh-hans", _("Simplified Chinese")), ("en", _("English"))]
LANGUAGE_COOKIE_AGE = int(timedelta(days=365).total_seconds())
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = text("TIME_ZONE", "Asia/Shanghai")
USE_TZ = True

STATIC_URL = "static/"
# In production file names carry a hash of their content, so that browsers keep them for ever.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": (
            "django.contrib.staticfiles.storage.StaticFilesStorage"
            if DEBUG
            else "whitenoise.storage.CompressedManifestStaticFilesStorage"
        )
    },
}
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
EVIDENCE_ROOT = Path(text("EVIDENCE_ROOT", str(VAR_DIR / "store")))
DOCUMENT_ROOT = Path(text("DOCUMENT_ROOT", str(VAR_DIR / "documents")))
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 2**20
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5000

EMAIL_BACKEND = text("EMAIL_BACKEND", "django.core.mail.backends.console.EmailBackend")
# Where Django's file-based backend puts them.
EMAIL_FILE_PATH = VAR_DIR / "mail"
DEFAULT_FROM_EMAIL = text("DEFAULT_FROM_EMAIL", "gpucontract@localhost")

SECURE_CSP = {
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "img-src": ["'self'", "data:"],
    "font-src": ["'self'"],
    "connect-src": ["'self'"],
    "form-action": ["'self'"],
    "base-uri": ["'none'"],
    "frame-ancestors": ["'none'"],
}
CONTENT_SECURITY_POLICY = {"DIRECTIVES": SECURE_CSP}
BEHIND_TLS = flag("BEHIND_TLS")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = BEHIND_TLS
SECURE_HSTS_SECONDS = int(timedelta(days=365).total_seconds()) if BEHIND_TLS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS else None
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = BEHIND_TLS
LANGUAGE_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"

CELERY_BROKER_URL = REDIS_URL or None
CELERY_TASK_ALWAYS_EAGER = not REDIS_URL
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SOFT_TIME_LIMIT = 60
CELERY_TASK_TIME_LIMIT = 90
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 600,
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
}
CELERY_TIMEZONE = "UTC"
