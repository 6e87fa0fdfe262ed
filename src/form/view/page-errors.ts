import type { FieldFault } from '../../domain/core/errors.ts';
import { formatPath, type FormPath, parsePath } from '../../schema/form-path.ts';

/** What is wrong on a page, by where it is. */
export interface PageErrors {
  /** The message of a field, by its path. */
  readonly messages: ReadonlyMap<string, string>;
  /** The paths at or below which something is wrong. */
  readonly around: ReadonlySet<string>;
  /** The rows of a list or map in which something is wrong, by its path; the first of them first. */
  readonly rows: ReadonlyMap<string, readonly number[]>;
}

export function pageErrors(faults: readonly FieldFault[]): PageErrors {
  const messages = new Map<string, string>();
  const around = new Set<string>();
  const rows = new Map<string, Set<number>>();
  for (const { field, message } of faults) {
    if (field === undefined) continue;
    messages.set(field, messages.has(field) ? `${messages.get(field)}. ${message}` : message);
    addPlaces(parsePath(field) ?? [], { around, rows });
  }
  return { messages, around, rows: new Map([...rows].map(([path, found]) => [path, [...found].toSorted((a, b) => a - b)])) };
}

function addPlaces(path: FormPath, { around, rows }: { readonly around: Set<string>; readonly rows: Map<string, Set<number>> }): void {
  path.forEach((step, index) => {
    const parent = formatPath(path.slice(0, index));
    around.add(formatPath(path.slice(0, index + 1)));
    if (typeof step !== 'number') return;
    const found = rows.get(parent) ?? new Set();
    rows.set(parent, found.add(step));
  });
}

/** The same without the message of one field, which somebody else shows. */
export function withoutMessage(errors: PageErrors, path: FormPath): PageErrors {
  const messages = new Map(errors.messages);
  messages.delete(formatPath(path));
  return { ...errors, messages };
}
