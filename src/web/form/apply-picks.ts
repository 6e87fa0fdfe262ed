import type { FormModel, FormNode, NameReference, ReferenceTarget } from '../../schema/form-node.ts';
import { formatPath, parsePath, type FormPath } from '../../schema/form-path.ts';
import { fieldMap, fieldName, nodeAt, type FieldMap } from './form-fields.ts';

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
  for (const [name, text] of picks) {
    const path = parsePath(name.slice(2));
    if (text !== '' && path !== undefined) applyPick(model, { fields, map, path }, text);
  }
  return fields;
}

interface Pick {
  readonly fields: URLSearchParams;
  readonly map: FieldMap;
  readonly path: FormPath;
}

function applyPick(model: FormModel, { fields, map, path }: Pick, text: string): void {
  const kinds = kindsAt(model, path, map);
  const [kind = '', name = ''] = text.split('/');
  const target = kinds?.to.find((one) => one.kind === kind);
  if (kinds === undefined || target === undefined || name === '') return;
  const beside = (key: string): FormPath => [...path.slice(0, -1), key];
  fields.set(fieldName('v', path), name);
  fields.set(fieldName('v', beside('kind')), textOf(nodeAt(model.root, beside('kind'), map), kind));
  if (kinds.group !== undefined)
    setGroup(fields, { name: fieldName('v', beside(kinds.group)), node: nodeAt(model.root, beside(kinds.group), map), target });
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

/** A default that says the same is left to be one. */
function setGroup(
  fields: URLSearchParams,
  { name, node, target }: { readonly name: string; readonly node: FormNode | undefined; readonly target: ReferenceTarget },
): void {
  const isDefault = (fields.get(name) ?? '') === '' && (node?.fallback ?? '') === target.group;
  if (!isDefault) fields.set(name, textOf(node, target.group));
}
