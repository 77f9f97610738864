// The wizard's page: shows terms when they are needed, says what is not saved yet, puts proposed values in.
// Everything here is comfort: without it all terms stand open and the save buttons do the rest.
// On a phone the steps are a strip: the one being done stands in sight, also when the strip has been brought anew.
(() => {
  function showStep() {
    const strip = document.querySelector(".steps ol");
    const here = strip?.querySelector("[aria-current]");
    if (here && strip.scrollWidth > strip.clientWidth) strip.scrollLeft = here.offsetLeft - strip.clientWidth / 3;
  }
  showStep();
  document.addEventListener("htmx:oobAfterSwap", showStep);
})();

(() => {
  const form = document.getElementById("step-form");
  if (!form) return;
  const note = document.getElementById("save-note");

  const named = (name) => [...form.querySelectorAll(`[name="${CSS.escape(name)}"]`)];
  const isTicked = (input) => ["radio", "checkbox"].includes(input.type);

  function typed(name) {
    const inputs = named(name);
    if (!inputs.length) return undefined;
    const chosen = inputs.filter((input) => !isTicked(input) || input.checked);
    return chosen.map((input) => input.value.trim());
  }

  // 98,000, 8 台 and full-width digits count, as they do on the server.
  const number = (text) => parseFloat(text.normalize("NFKC").replaceAll(/,(?=\d{3}(?!\d))/g, ""));

  function valuesIn(row, term) {
    const known = JSON.parse(row.dataset.known || "{}");
    return typed(`${row.dataset.row}-${term}`) ?? typed(`c-${term}`) ?? known[term] ?? [];
  }

  function holds(condition, row) {
    const given = valuesIn(row, condition.term).filter((value) => value !== "");
    if (condition.above !== null) return given.some((value) => number(value) > condition.above);
    return condition.oneOf.length ? given.some((value) => condition.oneOf.includes(value)) : given.length > 0;
  }

  function isUntouched(place) {
    const initial = JSON.parse(place.dataset.default || "[]");
    return [...place.querySelectorAll("input, select, textarea")].every((input) => {
      const value = isTicked(input) && !input.checked ? "" : input.value.trim();
      return !value || initial.includes(value);
    });
  }

  function showNeeded() {
    for (const place of form.querySelectorAll("[data-when]")) {
      const row = place.closest("[data-row]");
      const needed = JSON.parse(place.dataset.when).every((condition) => holds(condition, row));
      place.classList.toggle("is-needed", needed);
      place.hidden = !needed && isUntouched(place) && !place.querySelector(".is-invalid");
    }
  }

  function isChanged(input) {
    if (isTicked(input)) return input.checked !== input.defaultChecked;
    if (input.options) return [...input.options].some((option) => option.selected !== option.defaultSelected);
    return input.value !== input.defaultValue;
  }

  // What was refused and has been put right since is no longer shown as wrong; the summary strikes it out.
  function showMended(wrong) {
    for (const error of form.querySelectorAll(".term > .term-error")) {
      const inputs = [...error.parentElement.querySelectorAll("input, select, textarea")];
      if (wrong.has(inputs[0].name) || !inputs.some(isChanged)) continue;
      for (const input of inputs) {
        input.classList.remove("is-invalid");
        input.removeAttribute("aria-invalid");
        document.querySelector(`.problems a[href="#${CSS.escape(input.id)}"]`)?.parentElement.classList.add("is-mended");
      }
      error.remove();
    }
    const summary = document.querySelector(".problems:has(.is-mended):not(:has(li:not(.is-mended)))");
    summary?.remove();
  }

  // A fold of many boxes says which are ticked.
  function sayPicked() {
    for (const said of form.querySelectorAll("[data-picked]")) {
      const words = [...said.closest("details").querySelectorAll("input:checked + label")].map((label) => label.textContent.trim());
      said.textContent = words.join(said.dataset.between) || said.dataset.picked;
    }
  }

  // An answer that is ticked and a reason why there is none exclude each other: the one given last stands.
  function settle(input) {
    const place = input.closest(".term");
    const reason = place?.querySelector(".na textarea");
    if (!reason) return;
    if (input === reason && reason.value.trim()) {
      for (const ticked of place.querySelectorAll("input:checked")) ticked.checked = false;
    } else if (isTicked(input) && input.checked && reason.value) {
      reason.value = "";
      reason.closest("details").open = false;
    }
  }

  function put(name, values) {
    for (const input of named(name)) {
      if (isTicked(input)) input.checked = values.includes(input.value);
      else if (values.length) input.value = values.shift();
    }
  }

  function changed(name) {
    showNeeded();
    const first = named(name)[0];
    first?.dispatchEvent(new Event("input", { bubbles: true }));
    first?.focus();
  }

  // A link to a term opens the folds it stands in and puts the cursor into it.
  function reveal() {
    const place = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!place) return;
    for (let fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    const own = place.matches("input, select, textarea") ? place : place.querySelector("input:not([type=hidden]), select, textarea");
    place.scrollIntoView({ block: "center" });
    (own?.closest("details:not([open])")?.querySelector("summary") ?? own)?.focus({ preventScroll: true });
  }

  // What is typed and not saved is also kept in this browser: it survives a lost session, a lost network, a closed tab.
  const KEPT = `draft:${location.pathname}`;
  const SENT = "draft-sent";
  let isDirty = false;
  const isOwn = ([name]) => !["csrfmiddlewaretoken", "revision", "tab", "typist", "folded", "file", "file-term"].includes(name);
  const onPage = () => [...new FormData(form)].filter(isOwn);

  function keep() {
    isDirty = true;
    localStorage.setItem(KEPT, JSON.stringify({ at: Date.now(), values: onPage() }));
  }

  function forget() {
    isDirty = false;
    localStorage.removeItem(KEPT);
  }

  function offerKept() {
    if (sessionStorage.getItem(SENT) && sessionStorage.getItem(SENT) !== KEPT) localStorage.removeItem(sessionStorage.getItem(SENT));
    sessionStorage.removeItem(SENT);
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "null");
    const bar = document.getElementById("kept");
    if (!kept || !bar) return;
    if (JSON.stringify(kept.values) === JSON.stringify(onPage())) { forget(); return; }
    bar.querySelector("time").textContent = new Date(kept.at).toLocaleString(document.documentElement.lang);
    bar.hidden = false;
    bar.addEventListener("click", (event) => {
      const act = event.target.closest("[data-kept]")?.dataset.kept;
      if (!act) return;
      bar.hidden = true;
      if (act === "drop") { forget(); return; }
      const byName = Map.groupBy ? Map.groupBy(kept.values, ([name]) => name) : grouped(kept.values);
      for (const input of form.elements) if (isTicked(input)) input.checked = false;
      for (const [name, pairs] of byName) put(name, pairs.map(([, value]) => value));
      changed(kept.values[0]?.[0]);
    });
  }

  function grouped(pairs) {
    const found = new Map();
    for (const pair of pairs) found.set(pair[0], [...(found.get(pair[0]) ?? []), pair]);
    return found;
  }

  // Signing in again in another tab changes the token: always send the one that counts now.
  function freshToken() {
    const token = document.cookie.match(new RegExp(`(?:^|; )${form.dataset.tokenCookie}=([^;]+)`));
    if (token) named("csrfmiddlewaretoken")[0].value = token[1];
  }

  // A chosen file is uploaded at once; its inputs are no part of what is autosaved.
  document.getElementById("file")?.addEventListener("change", () => form.requestSubmit(document.getElementById("attach")));
  for (const kind of ["input", "change"]) {
    document.getElementById("files")?.addEventListener(kind, (event) => event.stopPropagation());
  }
  form.addEventListener("input", (event) => {
    settle(event.target);
    note.textContent = form.dataset.unsaved;
    note.classList.remove("bad");
    keep();
    showNeeded();
    sayPicked();
  });
  form.addEventListener("htmx:configRequest", (event) => {
    if (event.target !== form) return;
    freshToken();
    delete event.detail.parameters.file;
    event.detail.parameters.csrfmiddlewaretoken = named("csrfmiddlewaretoken")[0].value;
  });
  form.addEventListener("htmx:afterRequest", (event) => {
    if (event.target === form && event.detail.successful) forget();
  });
  document.addEventListener("draft-checked", (event) => showMended(new Set(event.detail.wrong)));
  // "Not applicable" was opened and nothing given: a blank reason lets the server ask for it.
  function claimNone() {
    for (const reason of form.querySelectorAll(".na[open] textarea")) {
      const inputs = [...reason.closest(".term, .inner-rows").querySelectorAll("input, select, textarea")];
      const isGiven = inputs.some((input) => input.value.trim() && (!isTicked(input) || input.checked));
      if (!isGiven && !reason.value) reason.value = " ";
    }
  }

  // An autosave that waited for its delay must not overtake what a button does; a page that stays may save again.
  let isSent = false;
  form.addEventListener("htmx:beforeRequest", (event) => { if (event.target === form && isSent) event.preventDefault(); });
  addEventListener("pageshow", () => { isSent = false; });

  document.addEventListener("submit", (event) => {
    // The page may have asked whether it is meant.
    if (event.target !== form || event.defaultPrevented) return;
    isSent = true;
    setTimeout(() => { isSent = false; }, 15000);
    htmx.trigger(form, "htmx:abort");
    claimNone();
    freshToken();
    if (isDirty) keep();
    sessionStorage.setItem(SENT, KEPT);
    isDirty = false;
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.ctrlKey) form.requestSubmit(form.querySelector(".save-bar .btn-primary"));
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-fill]");
    if (!button) return;
    put(button.dataset.fill, [button.dataset.value]);
    changed(button.dataset.fill);
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (form.contains(event.target)) showNeeded();
  });
  document.addEventListener("visibilitychange", () => {
    if (!isDirty) return;
    if (document.visibilityState === "visible" && note.classList.contains("bad")) htmx.trigger(form, "save-again");
  });
  addEventListener("online", () => { if (isDirty) htmx.trigger(form, "save-again"); });
  addEventListener("pagehide", () => {
    if (!isDirty) return;
    freshToken();
    const body = new FormData(form);
    body.delete("file");
    fetch(form.getAttribute("hx-post"), { method: "POST", body, keepalive: true, headers: { "HX-Request": "true" } });
  });
  addEventListener("hashchange", reveal);

  showNeeded();
  offerKept();
  reveal();
  // A browser that comes here by a link takes the focus away again when the page has loaded.
  addEventListener("load", () => setTimeout(reveal));
})();
