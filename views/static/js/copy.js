const SHOWN_MS = 2000;

/** Makes the button of each `data-copy` block copy the block's link or text, or the text that the address in it answers. One listener serves blocks that come later, too. */
export function copyButtons() {
  document.addEventListener('click', async (event) => {
    const button = event.target.closest('[data-copy] button');
    const block = button?.closest('[data-copy]');
    if (!block) return;
    const isCopied = await write(await textOf(block));
    const label = present(block)?.querySelector('button span');
    if (!label) return;
    label.textContent = isCopied ? 'Copied' : block.dataset.copy === '' ? 'Select and copy it by hand' : 'Not copied: reveal it';
    setTimeout(() => (label.textContent = 'Copy'), SHOWN_MS);
  });
}

/** A live page may have replaced the block meanwhile. */
function present(block) {
  const { copy, key } = block.dataset;
  const isSame = (other) => other.dataset.copy === copy && other.dataset.key === key && other.textContent === block.textContent;
  return block.isConnected ? block : [...document.querySelectorAll('[data-copy]')].find(isSame);
}

/** A secret is never on the page: its block names the address that answers it. */
async function textOf(block) {
  const { copy, key } = block.dataset;
  if (copy === '') return block.querySelector('a')?.href ?? block.querySelector('code')?.textContent;
  const response = await fetch(copy, { method: 'POST', body: new URLSearchParams({ key }) }).catch(() => undefined);
  const isText = response?.ok && response.headers.get('content-type')?.startsWith('text/plain');
  return isText ? await response.text() : undefined;
}

/** The clipboard exists on https and localhost only, and the browser may still reject. */
async function write(text) {
  if (text === undefined) return false;
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
