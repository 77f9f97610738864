"""Serve the site with gunicorn; without REDIS_URL the ticker runs the background stages in the same process."""

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.core.wsgi import get_wsgi_application
from django.db import connections
from gunicorn.app.base import BaseApplication

from gpucontract.web import ticker


class Site(BaseApplication):
    """gunicorn configured in code: threads share one process, so that SQLite has one writer pool."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        super().__init__()

    def load_config(self) -> None:
        for name, value in self.options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        # Only now: the static files it serves are listed when it is made.
        return get_wsgi_application()


def start_ticker(_worker: object) -> None:
    if not settings.REDIS_URL:
        ticker.start()


class Command(BaseCommand):
    help = "Serve the site (gunicorn; embedded mode also runs the background stages)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--bind", default="127.0.0.1:8000")
        parser.add_argument("--workers", type=int, default=1, help="processes; more than 1 needs REDIS_URL")
        parser.add_argument("--threads", type=int, default=8)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["workers"] > 1 and not settings.REDIS_URL:
            self.stderr.write("Without REDIS_URL one process runs the background stages: using 1 worker.")
            options["workers"] = 1
        call_command("collectstatic", interactive=False, verbosity=0)
        connections.close_all()
        Site(
            {
                "bind": options["bind"],
                "workers": options["workers"],
                "threads": options["threads"],
                "worker_class": "gthread",
                "post_worker_init": start_ticker,
                "timeout": 60,
                "accesslog": None,
                "errorlog": "-",
                "loglevel": "warning",
            }
        ).run()
