// Sets the theme before the first paint and keeps it right: the only place that touches the `dark` class.
// A classic script, because a module runs after the first paint and the page forbids inline scripts.
{
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const choice = localStorage.getItem("croft-theme");
    const dark = choice === "dark" || (choice !== "light" && system.matches);
    document.documentElement.classList.toggle("dark", dark);
  };
  apply();
  system.addEventListener("change", apply);
  addEventListener("storage", apply);
  addEventListener("croft-theme", apply);
}
