// The wizard's page: shows terms when they are needed, says what is not saved yet, puts proposed values in.
// Everything here is comfort: without it all terms stand open and the save buttons do the rest.
(() => {
  const form = document.getElementById("step-form");
  if (!form) return;
  const note = document.getElementById("save-note");

  const named = (name) => [...form.querySelectorAll(`[name="${CSS.escape(name)}"]`)];

  function typed(name) {
    const inputs = named(name);
    if (!inputs.length) return undefined;
    const chosen = inputs.find((input) => !["radio", "checkbox"].includes(input.type) || input.checked);
    return chosen?.value.trim() ?? "";
  }

  function valueIn(row, term) {
    const known = JSON.parse(row.dataset.known || "{}");
    return typed(`${row.dataset.row}-${term}`) ?? typed(`c-${term}`) ?? known[term] ?? "";
  }

  function holds(condition, row) {
    const value = valueIn(row, condition.term);
    if (condition.above !== null) return Number(value) > condition.above;
    return condition.oneOf.includes(value);
  }

  function isUntouched(place) {
    const initial = JSON.parse(place.dataset.default || "[]");
    return [...place.querySelectorAll("input, select, textarea")].every((input) => {
      const value = ["radio", "checkbox"].includes(input.type) && !input.checked ? "" : input.value.trim();
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

  function fill(button) {
    const name = button.dataset.fill;
    for (const input of named(name)) {
      if (["radio", "checkbox"].includes(input.type)) input.checked = input.value === button.dataset.value;
      else input.value = button.dataset.value;
    }
    showNeeded();
    named(name)[0]?.dispatchEvent(new Event("input", { bubbles: true }));
    named(name)[0]?.focus();
  }

  form.addEventListener("input", () => {
    note.textContent = form.dataset.unsaved;
    note.classList.remove("bad");
    showNeeded();
  });
  form.addEventListener("submit", () => htmx.trigger(form, "htmx:abort"));
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.ctrlKey) form.requestSubmit(form.querySelector(".save-bar .btn-primary"));
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-fill]");
    if (button) fill(button);
  });

  showNeeded();
  const strip = document.querySelector(".steps ol");
  const here = strip?.querySelector("[aria-current]");
  if (here && strip.scrollWidth > strip.clientWidth) strip.scrollLeft = here.offsetLeft - strip.clientWidth / 3;
})();
