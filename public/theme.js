// Runs before the first paint, as a file of its own so that the content security policy needs no inline script.
// Sets <html data-theme> from the reader's choice ("headroom.theme": system, dark or light), and follows the system.
(() => {
  const root = document.documentElement;
  const light = matchMedia("(prefers-color-scheme: light)");
  const apply = () => {
    let choice = null;
    try {
      choice = localStorage.getItem("headroom.theme");
    } catch {
      // Storage is blocked: follow the system.
    }
    root.dataset.theme = choice === "dark" || choice === "light" ? choice : light.matches ? "light" : "dark";
  };
  apply();
  light.addEventListener("change", apply);
  addEventListener("storage", apply);
  addEventListener("headroom:theme", apply);
})();
