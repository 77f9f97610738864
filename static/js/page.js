// Small behaviours of every page. Nothing here is needed for a page to work; sentences come from data attributes.
const root = document.documentElement;

function focusErrors() {
  document.querySelector("[data-error-summary]")?.focus();
}

function switchTheme() {
  root.dataset.bsTheme = root.dataset.bsTheme === "dark" ? "light" : "dark";
  document.cookie = `theme=${root.dataset.bsTheme};path=/;max-age=31536000;samesite=lax`;
}

async function copy(button) {
  await navigator.clipboard.writeText(button.dataset.copy);
  const word = button.querySelector("[data-copy-word]") ?? button;
  const before = word.textContent;
  word.textContent = button.dataset.copied;
  setTimeout(() => { word.textContent = before; }, 2000);
}

function closeMenus(except) {
  for (const menu of document.querySelectorAll("details[data-menu][open]")) {
    if (menu !== except) menu.open = false;
  }
}

// j and k go down and up through the lines of the page's lists; Enter then does what it does on any link.
function goThroughList(by) {
  const lines = [...document.querySelectorAll("main .rows a.row-line, main .rows .row-title a, main tbody th a, main details.check > summary")]
    .filter((line) => line.checkVisibility?.() ?? true);
  const here = lines.findIndex((line) => line === document.activeElement);
  const next = lines[here < 0 ? (by > 0 ? 0 : lines.length - 1) : here + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

document.addEventListener("click", (event) => {
  closeMenus(event.target.closest("details[data-menu]"));
  if (event.target.closest("[data-theme-switch]")) switchTheme();
  const button = event.target.closest("[data-copy]");
  if (button) copy(button);
});

document.addEventListener("keydown", (event) => {
  const menu = event.target.closest?.("details[data-menu][open]");
  if (event.key === "Escape" && menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
  const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (["j", "k"].includes(event.key) && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    goThroughList(event.key === "j" ? 1 : -1);
  }
  if (event.key === "/" && !event.target.closest("input, textarea, select")) {
    const search = document.querySelector("[data-search]");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  }
});

document.addEventListener("submit", (event) => {
  const button = event.submitter;
  if (button?.dataset.confirm && !confirm(button.dataset.confirm)) event.preventDefault();
  if (!button?.dataset.busy) return;
  button.setAttribute("aria-disabled", "true");
  setTimeout(() => { button.textContent = button.dataset.busy; }, 1000);
});

addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("main details:not([data-menu])")) fold.open = true;
});

focusErrors();

// On a narrow screen the tab one is on may lie beyond the edge.
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
