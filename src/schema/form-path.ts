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
const LONGEST = 2000;

/** The path of such a text; undefined when it is none. */
export function parsePath(text: string): FormPath | undefined {
  if (text.length > LONGEST || text.startsWith('.')) return undefined;
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
