/**
 * A table as CSV (RFC 4180), its first row the header. A cell that a spreadsheet would take for a formula begins with an apostrophe, so that it is shown and not
 * evaluated.
 */
export function csvText(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

/** What spreadsheets begin a formula with, also after characters that they leave out. */
const FORMULA = /^[\s\0]*[=+\-@\t\r\n|%＝＋－＠]/;

function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return text !== value || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Other people's text on one line, without control characters, which mean something to a terminal. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

/** Other people's text of several lines, without control characters. */
export function manyLines(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu, '');
}
