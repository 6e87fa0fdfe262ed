const minted = new WeakSet<object>();

/** HTML that was sanitised or rendered here. Only `mintSafeHtml` makes one; an object that merely looks like it is rejected when it is rendered. */
export interface SafeHtml {
  readonly html: string;
}

/** Vouches for HTML. Call it with the output of the sanitiser or of our own templates only. */
export function mintSafeHtml(html: string): SafeHtml {
  const safe: SafeHtml = Object.freeze({ html });
  minted.add(safe);
  return safe;
}

/** The HTML of a value that `mintSafeHtml` made; throws a TypeError for anything else. */
export function htmlOf(value: unknown): string {
  if (isMinted(value)) return value.html;
  throw new TypeError('html: only sanitised HTML can be rendered unescaped');
}

function isMinted(value: unknown): value is SafeHtml {
  return typeof value === 'object' && value !== null && minted.has(value);
}
