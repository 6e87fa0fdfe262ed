/** A place in a value or a form: keys of objects, and numbers for the rows of lists and maps. */
export type FormPath = readonly (string | number)[];

const PLAIN_KEY = /^[\w$-]+$/;

/** The text of a path: `spec.users[0].name`; keys with other characters are quoted, `spec.labels["a.b/c"]`. */
export function formatPath(path: FormPath): string {
  return path.map(formatStep).join('');
}

function formatStep(step: string | number, index: number): string {
  if (typeof step === 'number') return `[${step}]`;
  if (!PLAIN_KEY.test(step)) return `[${JSON.stringify(step)}]`;
  return index === 0 ? step : `.${step}`;
}

const STEP = /(?:\.?([\w$-]+)|\[(\d{1,9})\]|\[("(?:[^"\\]|\\.)*")\])/y;
const MAX_LENGTH = 2000;

/** The path of such a text; undefined when it is none. */
export function parsePath(text: string): FormPath | undefined {
  if (text.length > MAX_LENGTH || text.startsWith('.')) return undefined;
  const path: (string | number)[] = [];
  let end = 0;
  while (end < text.length) {
    STEP.lastIndex = end;
    const match = STEP.exec(text);
    if (match === null) return undefined;
    const step = stepOf(match);
    if (step === undefined) return undefined;
    path.push(step);
    end = STEP.lastIndex;
  }
  return path;
}

function stepOf([, key, row, quoted]: RegExpExecArray): string | number | undefined {
  if (key !== undefined) return key;
  if (row !== undefined) return Number(row);
  try {
    return String(JSON.parse(quoted ?? ''));
  } catch {
    return undefined;
  }
}

/** An id for HTML, one for each path: `f-spec-storage-size`. Other characters than letters and digits become `_<hex>_`. */
export function idOfPath(path: FormPath): string {
  return ['f', ...path.map((step) => String(step).replaceAll(/[^A-Za-z0-9]/g, (sign) => `_${sign.charCodeAt(0).toString(16)}_`))].join('-');
}

/** What is left of the path of a fault, `.users[0].name` or `[a.b/c].x`, after a key; undefined when it does not begin with that key. */
export function restAfterKey(rest: string, key: string): string | undefined {
  if (rest.startsWith('.') && startsWithKey(rest.slice(1), key)) return rest.slice(1 + key.length);
  const bracketed = [`[${key}]`, `[${JSON.stringify(key)}]`, `['${key}']`].find((form) => rest.startsWith(form));
  return bracketed === undefined ? undefined : rest.slice(bracketed.length);
}

/** Whether a path begins with a key, and not only with its letters. */
export function startsWithKey(text: string, key: string): boolean {
  return text.startsWith(key) && (text.length === key.length || text[key.length] === '.' || text[key.length] === '[');
}

/** What is left after the row of a list, `[0]` or `.0`, and its number; undefined when there is none. */
export function restAfterRow(rest: string): { readonly row: number; readonly rest: string } | undefined {
  const [all, bracketed, dotted] = /^(?:\[(\d{1,4})\]|\.(\d{1,4})(?![\w-]))/.exec(rest) ?? [];
  return all === undefined ? undefined : { row: Number(bracketed ?? dotted), rest: rest.slice(all.length) };
}
