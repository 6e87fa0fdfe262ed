const MASK = '[secret]';
const SHORT = 4;

/**
 * Takes every secret out of a text before anybody sees it: as it is, in base64, escaped as JSON and as a URL, and line by line. A secret
 * of fewer than four characters is only taken out where it stands as a word, or every message would be unreadable.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const spellings = new Set(secrets.flatMap(spellingsOf).filter((spelling) => spelling.trim() !== ''));
  return [...spellings].sort((a, b) => b.length - a.length).reduce(mask, text);
}

function spellingsOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/).filter((line) => line.trim().length >= SHORT);
  const encoded = secret.length < SHORT ? [] : [Buffer.from(secret).toString('base64'), encodeURIComponentSafely(secret)];
  return [secret, secret.trim(), JSON.stringify(secret).slice(1, -1), ...lines, ...encoded];
}

function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function mask(text: string, spelling: string): string {
  if (spelling.length >= SHORT) return text.replaceAll(spelling, MASK);
  return text.replaceAll(new RegExp(`(?<![\\w-])${RegExp.escape(spelling)}(?![\\w-])`, 'g'), MASK);
}
