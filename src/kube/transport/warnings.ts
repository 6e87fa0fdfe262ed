const WARNING = /\d{3} [^\s,"]+ "((?:[^"\\]|\\.)*)"/g;

/**
 * The sentences of `Warning` headers (RFC 7234 section 5.5): `299 - "text"`, several to a header or several headers.
 * Control characters are taken out.
 */
export function parseWarnings(header: string | readonly string[] | undefined): string[] {
  const text = [header ?? []].flat().join(', ');
  const sentences = [...text.matchAll(WARNING)].map(([, quoted = '']) => quoted.replaceAll(/\\(.)/g, '$1'));
  return [...new Set(sentences.map((sentence) => sentence.replaceAll(/\p{Cc}+/gu, ' ').trim()))];
}
