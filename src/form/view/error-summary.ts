import type { FieldFault } from '../../domain/core/errors.ts';
import type { FormModel, FormNode } from '../model/form-node.ts';
import { type FormPath, idOfPath, parsePath } from '../../schema/form-path.ts';
import { childOf, startsAt } from '../input/form-fields.ts';

/** A line of the error summary. `href` is `#<id of the field>`, or empty when the fault belongs to no field. */
export interface SummaryLine {
  readonly href: string;
  /** What the field is called, rows counted from 1: `Users 1, Name`. Empty without a field. */
  readonly label: string;
  /** The sentence, with the name of the field before it unless it has it already. */
  readonly message: string;
}

/** The lines of the error summary, one for each fault, in the order of the faults. */
export function errorSummary(faults: readonly FieldFault[], model: FormModel): SummaryLine[] {
  return faults.map(({ field, message }) => {
    const path = field === undefined ? undefined : parsePath(field);
    const label = path === undefined ? undefined : labelOf(model, path);
    return path === undefined || label === undefined
      ? { href: '', label: '', message }
      : { href: `#${idOfPath(path)}`, label, message: named(label, message) };
  });
}

function named(label: string, message: string): string {
  return message.toLowerCase().includes(label.toLowerCase()) ? message : `${label}: ${message}`;
}

function labelOf({ root, hoisted }: FormModel, path: FormPath): string | undefined {
  if (!startsAt(root, path)) return undefined;
  const labels: string[] = [];
  const top = hoisted === undefined ? undefined : childOf(root, hoisted);
  let node: FormNode | undefined = root;
  for (const step of path.slice(root.path.length)) {
    node = childOf(node, step);
    if (node === undefined) return undefined;
    const last = labels.length - 1;
    if (typeof step === 'number' && last >= 0) labels[last] = `${labels[last]} ${step + 1}`;
    else if (node !== top) labels.push(node.label);
  }
  return labels.length === 0 ? (top ?? root).label : labels.join(', ');
}
