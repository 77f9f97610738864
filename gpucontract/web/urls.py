"""Every page: one URL, one view, one name."""

from django.urls import path

from gpucontract.web.views import (
    answering,
    catalogue,
    check,
    contracts,
    dashboard,
    documents,
    draft,
    evidence,
    factors,
    fleet,
    frame,
    health,
    paste,
    runs,
    signing,
)

ONE = "contracts/<uuid:uuid>/"
DRAFT = f"{ONE}draft/"

urlpatterns = [
    path("", dashboard.dashboard, name="dashboard"),
    path("health/", health.health, name="health"),
    path("language/", frame.set_language, name="set-language"),
    path("account/second-factor/", factors.account_factor, name="account-factor"),
    path("catalogue/", catalogue.catalogue, name="catalogue"),
    path("catalogue/<slug:gpu>/", catalogue.catalogue_gpu, name="catalogue-gpu"),
    path("paste/", paste.paste, name="paste"),
    path("contracts/", contracts.contract_list, name="contract-list"),
    path("contracts/new", check.contract_new, name="contract-new"),
    path(ONE, contracts.contract_detail, name="contract-detail"),
    path(f"{ONE}journal/", contracts.contract_journal, name="contract-journal"),
    path(f"{ONE}waive/", contracts.contract_waive, name="contract-waive"),
    path(f"{ONE}reopen/", contracts.contract_reopen, name="contract-reopen"),
    path(f"{ONE}withdraw/", contracts.contract_withdraw, name="contract-withdraw"),
    path(f"{ONE}answers/", answering.contract_answers, name="contract-answers"),
    path(f"{ONE}sign/", signing.contract_sign, name="contract-sign"),
    path(f"{ONE}documents/", documents.contract_documents, name="contract-documents"),
    path(f"{ONE}appendix/<int:number>/", documents.contract_appendix_state, name="contract-appendix-state"),
    path(f"{ONE}appendix/<int:number>.pdf", documents.contract_appendix, name="contract-appendix"),
    path(f"{ONE}runs/", runs.contract_runs, name="contract-runs"),
    path(f"{ONE}fleet/", fleet.contract_fleet, name="contract-fleet"),
    path(f"{ONE}deliver/", runs.contract_deliver, name="contract-deliver"),
    path(f"{ONE}order/", runs.contract_order, name="contract-order"),
    path("nodes/<uuid:uuid>/agent/", runs.node_enrol, name="node-enrol"),
    path("runs/<uuid:uuid>/", evidence.run_detail, name="run-detail"),
    path("runs/<uuid:uuid>/raw.json", evidence.run_raw, name="run-raw"),
    path("runs/<uuid:uuid>/outputs/<int:place>.txt", evidence.run_output, name="run-output"),
    path("runs/<uuid:uuid>/retry/", runs.run_retry, name="run-retry"),
    path("runs/<uuid:uuid>/cancel/", runs.run_cancel, name="run-cancel"),
    path(DRAFT, draft.draft_tasks, name="contract-draft"),
    path(f"{DRAFT}check/", check.draft_check, name="contract-draft-check"),
    path(f"{DRAFT}send/", check.draft_send, name="contract-draft-send"),
    path(f"{DRAFT}waive/", check.draft_waive, name="contract-draft-waive"),
    path(f"{DRAFT}<slug:step>/", draft.draft_step, name="contract-draft-step"),
    path(f"{DRAFT}<slug:step>/autosave/", draft.draft_autosave, name="contract-draft-autosave"),
    path(f"{DRAFT}<slug:step>/panel/", draft.draft_panel, name="contract-draft-panel"),
    path(f"{DRAFT}<slug:step>/more/", draft.draft_more, name="contract-draft-more"),
]
