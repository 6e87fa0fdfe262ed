const SHOWN_MS = 2000;

/** Makes the button of each `data-copy` block copy the block's link or text. One listener serves blocks that come later, too. */
export function copyButtons() {
  document.addEventListener('click', async (event) => {
    const button = event.target.closest('[data-copy] button');
    const block = button?.closest('[data-copy]');
    const text = block?.querySelector('a')?.href ?? block?.querySelector('code')?.textContent;
    if (text === undefined) return;
    const label = button.querySelector('span');
    label.textContent = (await write(text)) ? 'Copied' : 'Select and copy it by hand';
    setTimeout(() => (label.textContent = 'Copy'), SHOWN_MS);
  });
}

/** The clipboard exists on https and localhost only, and the browser may still reject. */
async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
