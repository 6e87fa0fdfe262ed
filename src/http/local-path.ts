/**
 * The text as a path of our own that is safe to redirect to: it begins with one slash, keeps query and fragment, and is resolved.
 * Undefined for everything a browser could read as another site: `//evil`, `/\evil`, `https://…`, control characters.
 */
export function localPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > 2048) return undefined;
  if (!text.startsWith('/') || /[\\\p{Cc}\p{Z}]/u.test(text)) return undefined;
  const base = 'http://local.invalid';
  if (!URL.canParse(text, base)) return undefined;
  const url = new URL(text, base);
  const path = `${url.pathname}${url.search}${url.hash}`;
  return url.origin === base && !path.startsWith('//') ? path : undefined;
}
