// Runs before the first paint: the reader's system colours unless a choice was kept in the cookie (set by the server on <html>).
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  if (root.dataset.bsTheme) return;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => { root.dataset.bsTheme = dark.matches ? "dark" : "light"; };
  follow();
  dark.addEventListener("change", follow);
})();
