/**
 * Shows the fields of a group anew when one of them has changed on which others depend: what its button does, in the background. Whoever types on meanwhile is not disturbed.
 */
export function updateFields() {
  document.addEventListener('change', ({ target }) => {
    const button = [...document.querySelectorAll('[data-update]')].find((one) => one.closest('.field-group')?.contains(target));
    const group = button?.closest('.field-group');
    if (group) void update(group, button, target);
  });
}

async function update(group, button, { id }) {
  const { form } = button;
  const sent = new FormData(form, button);
  const text = textOf(form);
  try {
    const body = new URLSearchParams(sent);
    const response = await fetch(form.action, { method: 'POST', body, headers: { Accept: 'text/html' } });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const fresh = page.getElementById(group.id);
    if (fresh === null || text !== textOf(form)) return;
    const focused = document.activeElement?.id ?? id;
    group.replaceWith(fresh);
    document.getElementById(focused)?.focus();
  } catch {
    // Offline: the button still sends the form.
  }
}

function textOf(form) {
  return new URLSearchParams(new FormData(form)).toString();
}
