/**
 * Says below a `data-tell` field what was typed into it, as its button does: the form is sent in the background to be shown again, and what the answer
 * has below the same field takes the place of what is there. What stands in the form is not touched.
 */
export function tellWhatIsTyped() {
  document.addEventListener('change', (event) => {
    if (event.target.matches?.('[data-tell]') && event.target.form !== null) void tell(event.target);
  });
}

async function tell(input) {
  const body = new URLSearchParams([...new FormData(input.form)].filter(([, value]) => typeof value === 'string'));
  body.set('_op', input.dataset.tell);
  try {
    const response = await fetch(input.form.action, { method: 'POST', body, headers: { Accept: 'text/html' } });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const fresh = page.getElementById(input.id);
    if (fresh === null || fresh.value !== input.value) return;
    document.getElementById(`${input.id}-note`)?.remove();
    const note = page.getElementById(`${input.id}-note`);
    if (note !== null) input.after(note);
    input.setAttribute('aria-describedby', fresh.getAttribute('aria-describedby') ?? '');
  } catch {
    // Offline: the button still sends the form.
  }
}
