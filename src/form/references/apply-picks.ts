import type { FormModel, FormNode } from '../model/form-node.ts';
import type { NameReference } from './reference-targets.ts';
import { formatPath, type FormPath, parsePath } from '../../schema/form-path.ts';
import { fieldMap, fieldName, nodeAt, withFields, type FieldMap } from '../input/form-fields.ts';

/** The name of the list that chooses a kind and a name at once. Like a button it is gone once it has done its work. */
export function pickName(path: FormPath): string {
  return `q.${formatPath(path)}`;
}

/** What stands for an object in such a list: no name and no kind has a slash. */
export function pickText(kind: string, name: string): string {
  return `${kind}/${name}`;
}

/** The form with what was chosen from such lists in the fields for the name, the kind and, where there is one, the group. */
export function applyPicks(model: FormModel, body: URLSearchParams): URLSearchParams {
  const picks = [...body].filter(([name]) => name.startsWith('q.'));
  if (picks.length === 0) return body;
  const fields = new URLSearchParams([...body].filter(([name]) => !name.startsWith('q.')));
  const map = fieldMap(fields);
  const set = new Map<string, string>();
  for (const [name, text] of picks) {
    const path = parsePath(name.slice(2));
    if (text !== '' && path !== undefined) applyPick(model, { set, map, path }, text);
  }
  return withFields(fields, set);
}

interface Pick {
  /** What the fields are set to. */
  readonly set: Map<string, string>;
  readonly map: FieldMap;
  readonly path: FormPath;
}

function applyPick(model: FormModel, { set, map, path }: Pick, text: string): void {
  const kinds = kindsAt(model, path, map);
  const [kind = '', name = ''] = text.split('/');
  const target = kinds?.to.find((one) => one.kind === kind);
  if (kinds === undefined || target === undefined || name === '') return;
  const beside = (key: string): FormPath => [...path.slice(0, -1), key];
  set.set(fieldName('value', path), name);
  set.set(fieldName('value', beside('kind')), textOf(nodeAt(model.root, beside('kind'), map), kind));
  if (kinds.group === undefined) return;
  const group = fieldName('value', beside(kinds.group));
  const node = nodeAt(model.root, beside(kinds.group), map);
  // A default that says the same is left to be one.
  const isDefault = (map.get(group) ?? '') === '' && (node?.fallback ?? '') === target.group;
  if (!isDefault) set.set(group, textOf(node, target.group));
}

/** What can be chosen for the name at a path; undefined where the kind is fixed. */
export function kindsAt(model: FormModel, path: FormPath, fields: FieldMap): NameReference['kinds'] {
  const node = nodeAt(model.root, path, fields);
  const reference = node?.kind === 'text' ? node.reference : undefined;
  const kind = nodeAt(model.root, [...path.slice(0, -1), 'kind'], fields);
  const isFixed = kind === undefined || kind.locked !== undefined || (kind.immutable && model.mode === 'edit');
  return reference?.part === 'name' && !isFixed ? reference.kinds : undefined;
}

/** How the control of a kind writes it. */
function textOf(node: FormNode | undefined, kind: string): string {
  return node?.kind === 'enum' ? (node.options.find(({ value }) => value === kind)?.text ?? kind) : kind;
}
