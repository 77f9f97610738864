"""Text posted after a session had ended: kept until the same person has signed in again, and for nobody else."""

from django.core import signing
from django.http import HttpRequest, QueryDict

from gpucontract.accounts.models import User
from gpucontract.contracts.buffering import LARGEST_BYTES

KEY = "held_text"
FIELD = "typist"
SALT = "held-text"
# A page that stood open longer than this is not believed.
MOST_SECONDS = 30 * 24 * 3600


def typist(by: User, path: str) -> str:
    """Says, signed, who types on the page at this path; it comes back with the post."""
    return signing.dumps([by.pk, path], salt=SALT)


def hold(request: HttpRequest) -> bool:
    """Keep what a person posts who is signed in no more; False where the page does not say who that was."""
    try:
        pk, path = signing.loads(request.POST.get(FIELD, ""), salt=SALT, max_age=MOST_SECONDS)
    except signing.BadSignature:
        return False
    if path != request.path:
        return False
    kept = request.POST.copy()
    for name in (FIELD, "csrfmiddlewaretoken"):
        kept.pop(name, None)
    body = kept.urlencode()
    if len(body) > LARGEST_BYTES:
        return False
    request.session[KEY] = request.session.get(KEY, {}) | {path: [pk, body]}
    return True


def held(request: HttpRequest) -> QueryDict | None:
    """What this very person had posted to this address; None for anybody else."""
    pk, body = request.session.get(KEY, {}).get(request.path, (None, ""))
    return QueryDict(body) if pk == request.user.pk else None


def release(request: HttpRequest) -> None:
    """Forget it, once it was posted again."""
    kept = request.session.get(KEY, {})
    if request.path in kept:
        request.session[KEY] = {path: each for path, each in kept.items() if path != request.path}
