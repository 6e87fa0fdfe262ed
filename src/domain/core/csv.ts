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
