import { LISTED_KEYS } from './listed-version.ts';

const FIRST = /^ *- +(?=[A-Za-z]\w*:(\s|$))/;
const KEY = /^([A-Za-z]\w*):(\s|$)/;
const ANCHOR = /(^|[\s[{,])[&*]\S/m;

/**
 * The text of one version without the keys that nobody reads, which are most of it and most of the time that parsing takes. Undefined where the
 * lines do not tell for certain what belongs to which key.
 *
 * @param text a list of one map, as blocks: `- version: 1.0.0` and the lines below.
 */
export function onlyListed(text: string): string | undefined {
  const lines = text.replace(/\n$/, '').split('\n');
  const [head] = FIRST.exec(lines[0] ?? '') ?? [];
  if (head === undefined || ANCHOR.test(text)) return undefined;
  const indent = head.length;
  const kept: string[] = [];
  let isKept = false;
  for (const [number, line] of lines.entries()) {
    const content = number === 0 ? line.slice(indent) : contentAt(line, indent);
    if (content === 'outside') return undefined;
    if (content !== 'inside') {
      const key = KEY.exec(content)?.[1];
      if (key === undefined) return undefined;
      isKept = LISTED_KEYS.has(key);
    }
    if (isKept) kept.push(line);
  }
  const [first = '{}', ...rest] = kept.map((line, number) => (number === 0 ? line.slice(indent) : line));
  return `${[head + first, ...rest].join('\n')}\n`;
}

/** The text of a line that begins at this indent; else whether it belongs to the key before it. */
function contentAt(line: string, indent: number): string {
  const start = line.search(/[^ ]/);
  const content = start < 0 ? '' : line.slice(start);
  if (/^(#|[ \t\r]*$)/.test(content) || start > indent || (start === indent && /^-(\s|$)/.test(content))) return 'inside';
  return start < indent ? 'outside' : content;
}
