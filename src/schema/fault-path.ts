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
