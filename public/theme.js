// Runs before the first paint, as a file of its own so that the content security policy needs no inline script.
// Sets <html data-theme> from the reader's choice ("headroom.theme": system, dark or light); the page keeps it right
// from then on (components/preferences).
(() => {
  let choice = null;
  try {
    choice = localStorage.getItem("headroom.theme");
  } catch {
    // Storage is blocked: follow the system.
  }
  const system = matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
  document.documentElement.dataset.theme = choice === "dark" || choice === "light" ? choice : system;
})();
