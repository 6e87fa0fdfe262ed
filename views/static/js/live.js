/**
 * Keeps each `data-live` block as the server's stream tells it. The browser reconnects by itself; while the page is hidden nothing is read.
 */
export function liveFragments() {
  for (const block of document.querySelectorAll('[data-live]')) follow(block);
}

function follow(block) {
  let stream;
  const open = () => {
    if (stream !== undefined) return;
    stream = new EventSource(block.dataset.live);
    stream.addEventListener('change', (event) => show(block, JSON.parse(event.data)));
    stream.addEventListener('gone', () => {
      stream.close();
      location.assign(block.dataset.gone);
    });
    // The page without a session is the way to the sign-in and back.
    stream.addEventListener('signed-out', () => {
      stream.close();
      location.reload();
    });
    stream.addEventListener('error', () => {
      if (stream?.readyState === EventSource.CLOSED) warn('Live updates have stopped. Refresh the page to see changes.');
    });
  };
  const close = () => {
    stream?.close();
    stream = undefined;
  };
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
  addEventListener('pagehide', close);
  if (!document.hidden) open();
}

/** Replaces the block but for what is kept, gives the focus back to the link that had it, keeps open what is open, and leaves a selection alone. */
function show(block, { html, status }) {
  if (isSelecting(block)) return;
  const active = document.activeElement;
  const focused = block.contains(active) ? active.getAttribute('href') : null;
  const open = new Map([...block.querySelectorAll('details[id]')].map((one) => [one.id, one.open]));
  const fresh = new DOMParser().parseFromString(html, 'text/html').body;
  for (const one of fresh.querySelectorAll('details[id]')) one.open = open.get(one.id) ?? one.open;
  for (const one of block.querySelectorAll('[data-keep]')) fresh.querySelector(`#${one.id}`)?.replaceWith(one);
  block.replaceChildren(...fresh.childNodes);
  if (focused !== null) block.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  else if (block.contains(active)) active.focus();
  say(status);
}

/** What changed, for screen readers; the same words twice are said once. */
function say(text) {
  const line = document.querySelector('#live-status');
  if (line !== null && line.textContent !== text) line.textContent = text;
}

/** The same for everybody to see. */
function warn(text) {
  say(text);
  document.querySelector('#live-status')?.classList.replace('visually-hidden', 'muted');
}

function isSelecting(block) {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && block.contains(selection.anchorNode);
}
