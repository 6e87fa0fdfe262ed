import type { FieldFault } from '../../domain/core/errors.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import type { ChoiceNode, FormModel, FormNode, ListNode, MapNode } from '../model/form-node.ts';
import { formatPath, type FormPath, parsePath } from '../../schema/form-path.ts';
import type { ResourceKind } from '../yaml/read-manifest.ts';
import { readYaml, writeYaml } from '../../schema/yaml-text.ts';
import { chosenBranch, fieldMap, fieldName, MAX_ROWS, nodeAt, parseFieldName, rowCount } from './form-fields.ts';
import { applySecretOp } from './new-secrets.ts';
import { sealedValueAt } from './form-to-values.ts';
import { openWhole, valueOfText, wholeAsYaml, withAllFields } from '../yaml/whole-yaml.ts';
import { pageOfRow } from '../view/rows-page.ts';
import { nodeToFields } from './values-to-fields.ts';

export interface FormOpResult {
  readonly fields: URLSearchParams;
  /** Why the button could not do its work; the fields are then as they were. */
  readonly faults: readonly FieldFault[];
}

const OP = /^(add|rows|yaml|fields|skeleton|open|branch|remove|up|down|secret|existing|generate|clear):(.*?)(?::(\d{1,4}))?$/s;

/**
 * Does what a button of the form asks for: the form is sent, changed here and shown again, so that everything works without scripts.
 *
 * @param op the value of the button `_op`: `add:spec.users`, `remove:spec.users:0`, `up:…:1`, `down:…:0` change rows; `rows:spec.users:3` turns to a page of
 *   them, `rows:spec.users` to the one that is chosen; `yaml:spec.users` turns a
 *   part into a YAML field and `fields:spec.users` turns it back; `skeleton:spec` adds all other fields to the YAML of the whole form as comments; `open:spec.affinity` shows the fields of a group;
 *   `branch:spec.store:1` chooses one of several shapes and `branch:spec.store` none;
 *   `generate:spec.password` makes a value up and `clear:spec.password` takes away what was typed; `secret:spec.ref.name` asks for a new Secret and `existing:…` for none;
 *   `search` and `page:2` choose which fields are on the page. Others change nothing.
 * @param base the live values on edit; `{}` on create.
 * @param resource what a whole resource must be that stands in the place of the values.
 */
export function applyFormOp(
  model: FormModel,
  fields: URLSearchParams,
  { op, base, resource }: { readonly op: string; readonly base: Json; readonly resource?: ResourceKind },
): FormOpResult {
  const page = /^page:(\d{1,4})$/.exec(op)?.[1] ?? (op === 'search' ? '1' : undefined);
  if (page !== undefined) return { fields: withField(fields, '_page', page), faults: [] };
  const [, verb, text = '', row] = OP.exec(op) ?? [];
  const path = parsePath(text);
  const node = path === undefined ? undefined : nodeAt(model.root, path, fieldMap(fields));
  if (verb === undefined || path === undefined || node === undefined) return { fields, faults: [] };
  if (verb === 'secret' || verb === 'existing' || verb === 'generate' || verb === 'clear') {
    const { fields: changed, fault } = applySecretOp(model, fields, { verb, path, node });
    return { fields: changed, faults: fault === undefined ? [] : [{ field: text, message: fault }] };
  }
  if (verb === 'skeleton') return { fields: withAllFields(model, fields), faults: [] };
  if (verb === 'yaml') return toYaml(model, fields, { path, base, resource });
  if (verb === 'fields')
    return node === model.root
      ? wholeToFields(model, fields, { path, node, base, resource })
      : toFields(model, fields, { path, node, base });
  if (verb === 'open') return { fields: withField(fields, fieldName('opened', path), '1'), faults: [] };
  if (verb === 'branch') return { fields: node.kind === 'choice' ? toBranch(fields, { path, node, row }) : fields, faults: [] };
  const rows = node.kind === 'choice' ? chosenBranch(node, fieldMap(fields), path) : node;
  if (rows?.kind !== 'list' && rows?.kind !== 'map') return { fields, faults: [] };
  return { fields: changeRows(fields, path, { verb, row: Number(row ?? -1), node: rows }), faults: [] };
}

/** What was typed into the other branches stays among the inputs as long as the page shows it; a constant that marks the branch is filled in. */
function toBranch(
  fields: URLSearchParams,
  { path, node, row }: { readonly path: FormPath; readonly node: ChoiceNode; readonly row: string | undefined },
): URLSearchParams {
  const changed = withField(fields, fieldName('branch', path), row ?? '');
  for (const part of ['yaml', 'state'] as const) changed.delete(fieldName(part, path));
  const branch = chosenBranch(node, fieldMap(changed), path);
  for (const child of branch?.kind === 'group' ? branch.children : []) {
    const [only, ...others] = child.kind === 'enum' ? child.options : [];
    if (only !== undefined && others.length === 0) changed.set(fieldName('value', [...path, child.key]), only.text);
  }
  return changed;
}

/** The button that was pressed. The Enter key within the search box presses none that has a name, and means the search. */
export function pressedOp(body: URLSearchParams): string | null {
  const isEnter = !body.has('_op') && !body.has('_do');
  return isEnter && (body.get('_q') ?? '') !== (body.get('_asked') ?? '') ? 'search' : body.get('_op');
}

interface RowChange {
  readonly verb: string;
  readonly row: number;
  readonly node: ListNode | MapNode;
}

/** Whoever adds or moves a row sees the page where it is then. */
function changeRows(fields: URLSearchParams, path: FormPath, { verb, row, node }: RowChange): URLSearchParams {
  const count = rowCount(fieldMap(fields), path) ?? 0;
  const name = fieldName('count', path);
  const showing = (changed: URLSearchParams, at: number): URLSearchParams =>
    withField(changed, fieldName('page', path), String(pageOfRow(node, at)));
  if (verb === 'rows') return row < 1 ? fields : withField(fields, fieldName('page', path), String(row));
  if (verb === 'add') return count < MAX_ROWS ? showing(withField(fields, name, String(count + 1)), count) : fields;
  if (row < 0 || row >= count) return fields;
  if (verb === 'remove') return withField(moveRows(fields, path, removal(row)), name, String(count - 1));
  const other = verb === 'up' ? row - 1 : row + 1;
  return other < 0 || other >= count ? fields : showing(moveRows(fields, path, exchange(row, other)), other);
}

/** Where a row goes; undefined when it goes away. */
type Move = (row: number) => number | undefined;

function removal(gone: number): Move {
  return (row) => (row === gone ? undefined : row > gone ? row - 1 : row);
}

function exchange(one: number, other: number): Move {
  return (row) => (row === one ? other : row === other ? one : row);
}

function moveRows(fields: URLSearchParams, path: FormPath, move: Move): URLSearchParams {
  const moved = new URLSearchParams();
  for (const [name, value] of fields) {
    const parsed = parseFieldName(name);
    const row = parsed !== undefined && isBelow(parsed.path, path) ? parsed.path[path.length] : undefined;
    if (parsed === undefined || typeof row !== 'number') {
      moved.append(name, value);
      continue;
    }
    const target = move(row);
    if (target !== undefined) moved.append(fieldName(parsed.part, [...path, target, ...parsed.path.slice(path.length + 1)]), value);
  }
  return moved;
}

function toYaml(
  model: FormModel,
  fields: URLSearchParams,
  { path, base, resource }: { readonly path: FormPath; readonly base: Json; readonly resource: ResourceKind | undefined },
): FormOpResult {
  const { value, lost } = sealedValueAt(model, fields, { path, base });
  if (lost.length > 0) return { fields, faults: lost };
  const others = without(fields, path);
  others.append(
    fieldName('yaml', path),
    path.length === model.root.path.length
      ? wholeAsYaml(model, fields, { value: value ?? {}, resource })
      : value === undefined
        ? ''
        : writeYaml(value),
  );
  return { fields: others, faults: [] };
}

/** The whole form from its YAML, which travels along from then on. */
function wholeToFields(
  model: FormModel,
  fields: URLSearchParams,
  { resource, ...place }: Turned & { readonly resource: ResourceKind | undefined },
): FormOpResult {
  const { path } = place;
  const text = fieldMap(fields).get(fieldName('yaml', path));
  const whole = resource === undefined ? { fields, faults: [] } : openWhole(model, fields, resource);
  if (whole.faults.length > 0) return { fields, faults: whole.faults };
  const opened = toFields(model, fields, place);
  if (opened.faults.length > 0) return { fields, faults: opened.faults };
  const inner = [...path, ...(model.hoisted === undefined ? [] : [model.hoisted])];
  if (opened.fields.has(fieldName('yaml', path)) || opened.fields.has(fieldName('yaml', inner)))
    return { fields, faults: [notAnObject(path)] };
  if (text !== undefined && text.trim() !== '') opened.fields.set(fieldName('source', path), text);
  return opened;
}

/** A YAML field that becomes fields again. */
interface Turned {
  readonly path: FormPath;
  readonly node: FormNode;
  /** The live value of the root. */
  readonly base: Json;
}

function toFields(model: FormModel, fields: URLSearchParams, { path, node, base }: Turned): FormOpResult {
  const text = fieldMap(fields).get(fieldName('yaml', path));
  if (text === undefined || node.kind === 'yaml') return { fields, faults: [] };
  const read = readYaml(text);
  if (read.fault !== undefined) {
    const { line, column } = read;
    return { fields, faults: [{ field: formatPath(path), message: `Line ${line}, column ${column}: ${read.fault}`, line, column }] };
  }
  const others = without(fields, path);
  others.append(fieldName('opened', path), '1');
  if (node.kind === 'choice') others.append(fieldName('branch', path), '');
  if (read.value === undefined) return { fields: others, faults: [] };
  others.delete(fieldName('branch', path));
  const value = node === model.root ? valueOfText(model, read.value, base) : read.value;
  for (const [name, input] of nodeToFields(model, { node, path, value, origins: 'none' })) others.append(name, input);
  return { fields: others, faults: [] };
}

function notAnObject(path: FormPath): FieldFault {
  return { field: formatPath(path), message: 'Line 1: Write keys and values, such as "size: 1"', line: 1, column: 1 };
}

/** The inputs that are neither at nor below a path; its place among the rows of its parent stays known. */
function without(fields: URLSearchParams, path: FormPath): URLSearchParams {
  const kept = [...fields].filter(([name]) => {
    const parsed = parseFieldName(name);
    if (parsed === undefined) return true;
    const isSelf = parsed.path.length === path.length && isBelow(parsed.path, path);
    return isSelf ? parsed.part === 'key' || parsed.part === 'original' : !isBelow(parsed.path, path);
  });
  return new URLSearchParams(kept);
}

function isBelow(path: FormPath, ancestor: FormPath): boolean {
  return path.length >= ancestor.length && ancestor.every((step, index) => step === path[index]);
}

function withField(fields: URLSearchParams, name: string, value: string): URLSearchParams {
  const changed = new URLSearchParams(fields);
  changed.set(name, value);
  return changed;
}
