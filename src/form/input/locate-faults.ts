import type { FieldFault } from '../../domain/core/errors.ts';
import { isTop, type FormModel, type FormNode, type GroupNode } from '../model/form-node.ts';
import { type Place, placesInYaml } from '../yaml/place-in-yaml.ts';
import { isWhole } from '../yaml/read-manifest.ts';
import { formatPath, type FormPath, restAfterKey, restAfterRow, startsWithKey } from '../../schema/form-path.ts';
import { childOf, chosenBranch, fieldMap, fieldName, rowCount, type FieldMap } from './form-fields.ts';

const MAX_LENGTH = 2000;

/**
 * Moves the faults of the api-server (`spec.users[0].name`, `spec.labels[a.b/c]`) to the fields of the form that was sent. One that is about
 * something within a YAML field lands there and says what it is about; one that belongs to no field keeps none.
 */
export function locateFaults(model: FormModel, fields: URLSearchParams, faults: readonly FieldFault[]): FieldFault[] {
  const map = fieldMap(fields);
  const places = new Map<string, PlacesOf>();
  const placesOf = (text: string): PlacesOf => {
    const known = places.get(text) ?? { isWhole: isWhole(text), place: placesInYaml(text) };
    places.set(text, known);
    return known;
  };
  return faults.map((fault) => locate(model, { fields: map, placesOf }, fault));
}

/** What a YAML field says, read once for all faults. */
interface PlacesOf {
  readonly isWhole: boolean;
  readonly place: (path: string) => Place | undefined;
}

interface Sent {
  readonly fields: FieldMap;
  readonly placesOf: (text: string) => PlacesOf;
}

function locate(model: FormModel, sent: Sent, fault: FieldFault): FieldFault {
  const { fields } = sent;
  const { field, ...rest } = fault;
  const text = (field ?? '').slice(0, MAX_LENGTH);
  const { root } = model;
  const isContent = root.path.length === 0;
  if (isContent ? text === '' : !startsWithKey(text, root.key)) return field === '' ? fault : rest;
  const found = descend(fields, { node: root, path: root.path, rest: isContent ? `.${text}` : text.slice(root.key.length) });
  if (isTop(model, found.path) && found.node.kind === 'group' && !fields.has(fieldName('yaml', found.path))) {
    if (isContent && found.path.length === 0)
      return { ...rest, message: text.startsWith('spec') ? `${text}: ${fault.message}` : fault.message };
    return { ...rest, message: found.rest === '' ? fault.message : `${text}: ${fault.message}` };
  }
  const inner = innerOf(model, sent, found);
  const message = inner === '' ? fault.message : `${inner}: ${fault.message}`;
  const place = placeOf(model, sent, found);
  if (place === undefined) return { ...rest, field: formatPath(found.path), message };
  return { ...rest, field: formatPath(found.path), message: `Line ${place.line}: ${message}`, ...place };
}

/** Where the text of a YAML field says it. */
function placeOf({ root, hoisted }: FormModel, { fields, placesOf }: Sent, { path, rest }: Descent): Place | undefined {
  const text = fields.get(fieldName('yaml', path));
  if (text === undefined || rest === '') return undefined;
  const places = placesOf(text);
  if (path.length > root.path.length) return places.place(rest);
  if (places.isWhole) return places.place(root.path.length === 0 ? rest : `.${root.key}${rest}`);
  return places.place(hoisted === undefined ? rest : (restAfterKey(rest, hoisted) ?? rest));
}

/** What a fault within a YAML field is about: a path within its text, where that is no whole resource. */
function innerOf({ root, hoisted }: FormModel, { fields, placesOf }: Sent, { path, rest }: Descent): string {
  const text = path.length > 0 || root.path.length > 0 ? undefined : fields.get(fieldName('yaml', path));
  const isPart = text !== undefined && hoisted !== undefined && !placesOf(text).isWhole;
  return (isPart ? (restAfterKey(rest, hoisted) ?? rest) : rest).replace(/^\./, '');
}

interface Descent {
  readonly node: FormNode;
  readonly path: FormPath;
  readonly rest: string;
}

function descend(fields: FieldMap, at: Descent): Descent {
  let here = at;
  while (here.rest !== '' && !fields.has(fieldName('yaml', here.path))) {
    const next = stepInto(fields, here);
    if (next === undefined) return here;
    here = next;
  }
  return here;
}

function stepInto(fields: FieldMap, { node, path, rest }: Descent): Descent | undefined {
  if (node.kind === 'group') {
    const children = mayBegin(node, rest).filter((child) => restAfterKey(rest, child.key) !== undefined);
    const [child] = children.toSorted((a, b) => b.key.length - a.key.length);
    return child === undefined ? undefined : { node: child, path: [...path, child.key], rest: restAfterKey(rest, child.key) ?? '' };
  }
  if (node.kind === 'list') {
    const found = restAfterRow(rest);
    return found === undefined ? undefined : { node: node.item, path: [...path, found.row], rest: found.rest };
  }
  if (node.kind === 'choice') {
    const branch = chosenBranch(node, fields, path);
    return branch === undefined ? undefined : stepInto(fields, { node: branch, path, rest });
  }
  return node.kind === 'map' ? stepIntoMap(fields, { value: node.value, path, rest }) : undefined;
}

/** The members whose key the text may begin with: the one of that name, and all whose names have other characters. */
function mayBegin(node: GroupNode, rest: string): readonly FormNode[] {
  const plain = childOf(node, /^(?:\.|\[["']?)([\w$-]+)/.exec(rest)?.[1] ?? '');
  const odd = oddMembers.get(node) ?? node.children.filter(({ key }) => !/^[\w$-]+$/.test(key));
  oddMembers.set(node, odd);
  return plain === undefined || odd.includes(plain) ? odd : [plain, ...odd];
}

const oddMembers = new WeakMap<GroupNode, readonly FormNode[]>();

/** Rows of a map go by their key, the longest that fits. */
function stepIntoMap(fields: FieldMap, { value, path, rest }: { value: FormNode; path: FormPath; rest: string }): Descent | undefined {
  const rows = Array.from({ length: rowCount(fields, path) ?? 0 }, (_, row) => ({
    row,
    key: fields.get(fieldName('key', [...path, row])) ?? '',
  }));
  const fitting = rows
    .filter(({ key }) => key !== '' && restAfterKey(rest, key) !== undefined)
    .toSorted((a, b) => b.key.length - a.key.length);
  const found = fitting[0] ?? rows[rowNumber(rest)];
  return found === undefined
    ? undefined
    : { node: value, path: [...path, found.row], rest: restAfterKey(rest, found.key) ?? rest.replace(/^\[\d+\]/, '') };
}

/** Faults that were found while the form was read have rows by number already. */
function rowNumber(rest: string): number {
  return Number(/^\[(\d{1,4})\]/.exec(rest)?.[1] ?? -1);
}
