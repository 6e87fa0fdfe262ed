const DELAY_MS = 180;

/**
 * Filters while somebody types: a `data-filter` form is sent in the background, and the part of the answer that the attribute names takes the
 * place of the same part here. The address follows, so that it can be shared.
 */
export function instantFilter() {
  for (const form of document.querySelectorAll('form[data-filter]')) {
    let timer;
    let latest;
    form.addEventListener('input', () => {
      clearTimeout(timer);
      latest?.abort();
      timer = setTimeout(() => {
        latest = new AbortController();
        void refresh(form, latest.signal);
      }, DELAY_MS);
    });
  }
}

async function refresh(form, signal) {
  const address = new URL(form.action);
  address.search = new URLSearchParams(new FormData(form)).toString();
  try {
    const response = await fetch(address, { signal, headers: { Accept: 'text/html' } });
    if (!response.ok || response.redirected) return;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const fresh = page.querySelector(form.dataset.filter);
    if (fresh === null || signal.aborted) return;
    document.querySelector(form.dataset.filter)?.replaceWith(fresh);
    history.replaceState(null, '', address);
  } catch {
    // Offline or overtaken by the next letter: the button still sends the form.
  }
}
