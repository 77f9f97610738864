"""A small OpenID Connect provider on this machine: real HTTP, one signed-in person, codes that work once."""

import json
import secrets
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit


class Provider(BaseHTTPRequestHandler):
    person: dict[str, object] = {}
    codes: set[str] = set()
    is_broken = False

    def do_GET(self):
        path = urlsplit(self.path)
        if path.path == "/.well-known/openid-configuration":
            root = f"http://{self.headers['Host']}"
            names = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
            self._json(
                {"issuer": root, "jwks_uri": f"{root}/jwks"}
                | {f"{k}_endpoint": f"{root}/{v}" for k, v in names.items()}
            )
        elif path.path == "/authorize":
            asked = {name: values[0] for name, values in parse_qs(path.query).items()}
            code = secrets.token_hex(8)
            self.codes.add(code)
            self.send_response(302)
            self.send_header(
                "Location", f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"
            )
            self.end_headers()
        elif path.path == "/userinfo" and self.headers["Authorization"] == "Bearer good":
            self._json(self.person)
        else:
            self.send_error(404)

    def do_POST(self):
        given = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        code = given.get("code", [""])[0]
        if self.is_broken or code not in self.codes or "code_verifier" not in given:
            self.send_error(400)
            return
        self.codes.discard(code)
        self._json({"access_token": "good", "token_type": "Bearer", "expires_in": 60})

    def _json(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments):
        pass


@contextmanager
def running():
    """(address, handler class); what the class says of `person` is what the provider answers."""
    handler = type("Own", (Provider,), {"codes": set()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", handler
    finally:
        server.shutdown()
        server.server_close()
