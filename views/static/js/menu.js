/** Closes an open menu on Escape, and when something outside of it is clicked or focused. */
export function closeMenus() {
  const openMenus = () => document.querySelectorAll('details[data-menu][open]');
  const closeOthers = (event) => {
    for (const menu of openMenus()) if (!menu.contains(event.target)) menu.open = false;
  };
  document.addEventListener('click', closeOthers);
  document.addEventListener('focusin', closeOthers);
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    for (const menu of openMenus()) {
      menu.open = false;
      menu.querySelector('summary')?.focus();
    }
  });
}
