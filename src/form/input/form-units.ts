import type { Json } from '../../domain/kubernetes/resource.ts';
import type { FormModel, FormNode } from '../model/form-node.ts';
import { formatPath, type FormPath } from '../../schema/form-path.ts';
import { childOf, fieldMap, parseFieldName, startsAt, type FieldMap } from './form-fields.ts';
import { valuesToFields } from './values-to-fields.ts';

/** Inputs of a form, by name and text. */
export type Inputs = readonly (readonly [string, string])[];

/**
 * The inputs of a form by what is touched or not as a whole: single controls, lists, maps, choices and YAML, each by its path; what a group has beyond its own
 * fields stands apart.
 */
export function unitsOf(model: FormModel, fields: URLSearchParams): Map<string, Inputs> {
  const units = new Map<string, (readonly [string, string])[]>();
  for (const [name, value] of fields) {
    const unit = unitOf(model, name);
    const remembersPlace = name.startsWith('o.') || name.startsWith('p.');
    if (unit === undefined || remembersPlace) continue;
    const inputs = units.get(unit);
    if (inputs === undefined) units.set(unit, [[name, value]]);
    else inputs.push([name, value]);
  }
  return units;
}

/** The path down to the first node that is not a group, which is touched or not as a whole; other fields of a group are a unit of their own. */
export function unitOf({ root }: FormModel, name: string): string | undefined {
  const parsed = parseFieldName(name);
  if (parsed === undefined) return undefined;
  const { part, path } = parsed;
  let node: FormNode | undefined = startsAt(root, path) ? root : undefined;
  let length = root.path.length;
  while (node?.kind === 'group' && length < path.length) {
    node = childOf(node, path[length] ?? '');
    length += 1;
  }
  const unit: FormPath = path.slice(0, length);
  return node?.kind === 'group' ? `${part} ${formatPath(unit)}` : formatPath(unit);
}

/** What counts as typed: rows of which there are none and empty texts do not, a box that says that the emptiness is meant does. */
export function contentOf(inputs: Inputs = []): string {
  const typed = inputs.filter(([name, value]) => value !== '' && !(name.startsWith('n.') && value === '0'));
  return JSON.stringify(typed.toSorted(([a], [b]) => (a < b ? -1 : 1))).replace(/^\[\]$/, '');
}

/**
 * The paths that hold exactly what some values give them: whole units, and within a choice of shapes the fields of the same branch; rows count with their list. Values of the root, without its
 * key.
 */
export function pathsHolding(model: FormModel, fields: URLSearchParams, values: Json): ReadonlySet<string> {
  const theirs = valuesToFields(model, values);
  const typed = unitsOf(model, fields);
  const same = [...unitsOf(model, theirs)].filter(([unit, inputs]) => contentOf(typed.get(unit)) === contentOf(inputs));
  return new Set([...same.map(([unit]) => unit), ...inputsHolding(fieldMap(fields), theirs)]);
}

function inputsHolding(mine: FieldMap, theirs: URLSearchParams): string[] {
  const parsed = [...theirs].flatMap(([name, text]) => {
    const field = parseFieldName(name);
    const isWhole = field?.path.every((step) => typeof step === 'string') === true;
    return field === undefined || !isWhole || text === '' ? [] : [{ ...field, isSame: mine.get(name) === text }];
  });
  const others = new Set(parsed.filter(({ part, isSame }) => part === 'branch' && !isSame).map(({ path }) => formatPath(path)));
  const isOther = (path: FormPath): boolean => path.some((_, index) => others.has(formatPath(path.slice(0, index + 1))));
  return parsed
    .filter(({ part, path, isSame }) => isSame && ['value', 'yaml', 'branch'].includes(part) && !isOther(path))
    .map(({ path }) => formatPath(path));
}
