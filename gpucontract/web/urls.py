"""Every page: one URL, one view, one name."""

from django.urls import path

from gpucontract.web.views import check, draft, frame, home

DRAFT = "contracts/<uuid:uuid>/draft/"

urlpatterns = [
    path("", home.dashboard, name="dashboard"),
    path("language/", frame.set_language, name="set-language"),
    path("contracts/new", check.contract_new, name="contract-new"),
    path(DRAFT, draft.draft_tasks, name="contract-draft"),
    path(f"{DRAFT}check/", check.draft_check, name="contract-draft-check"),
    path(f"{DRAFT}send/", check.draft_send, name="contract-draft-send"),
    path(f"{DRAFT}waive/", check.draft_waive, name="contract-draft-waive"),
    path(f"{DRAFT}<slug:step>/", draft.draft_step, name="contract-draft-step"),
    path(f"{DRAFT}<slug:step>/autosave/", draft.draft_autosave, name="contract-draft-autosave"),
]
