import { open } from 'node:fs/promises';
import { parseYamlDocument, YAML_BOUNDS } from '../domain/core/bounded-yaml.ts';
import { decodeText } from '../domain/yaml/decode-text.ts';
import { AppError, messageOf } from '../domain/core/errors.ts';
import { exactNumber } from '../domain/core/exact-json.ts';
import { applyMergePatch } from '../domain/core/merge-patch.ts';
import { at, isObject, listAt, objectAt, textAt, textsAt } from '../domain/core/read.ts';
import { inexactNumber } from '../domain/yaml/inexact-number.ts';
import { type FormPath, formatPath, parsePath } from '../schema/form-path.ts';
import { readStandardInput } from './command.ts';
import { type Arguments, type Option, wrong } from './options.ts';

/** How values of an instance are given. */
export const VALUE_OPTIONS: readonly Option[] = [
  {
    name: 'file',
    short: 'f',
    value: 'FILE',
    many: 'many',
    completes: 'file',
    help: 'values as YAML: the spec, or a whole resource; - reads the standard input; later files win',
  },
  { name: 'set', value: 'FIELD=VALUE', many: 'many', help: 'set one field, as "chandlery explain" names it, e.g. spec.users[0].name=web' },
];

type Content = Readonly<Record<string, unknown>>;

/** What files say of an instance: its content, and its name when a whole resource says one. */
export async function contentInFiles(files: readonly string[]): Promise<{ readonly content: Content; readonly name?: string }> {
  let content: Content = {};
  let name: string | undefined;
  for (const file of files) {
    const value = parsed(file, await textOf(file));
    if (!isObject(value)) throw new AppError('InvalidInput', `${file}: write a map: the spec of the instance, or a whole resource`);
    const { apiVersion: _apiVersion, kind, metadata, status: _status, ...members } = value;
    const isWhole = kind !== undefined || isObject(members['spec']);
    content = applyMergePatch(content, isWhole ? { ...members, ...keptMetadata(metadata) } : { spec: value }) as Content;
    name = textAt(metadata, 'name') ?? name;
  }
  return { content, ...(name === undefined ? {} : { name }) };
}

/** What people set; the rest is the cluster's. */
function keptMetadata(metadata: unknown): Content {
  const kept = Object.fromEntries(Object.entries(objectAt(metadata)).filter(([key]) => ['labels', 'annotations'].includes(key)));
  return Object.keys(kept).length === 0 ? {} : { metadata: kept };
}

async function textOf(file: string): Promise<string> {
  try {
    if (file === '-') return decodeText(await readStandardInput());
    await using handle = await open(file);
    const { size } = await handle.stat();
    if (size > YAML_BOUNDS.maxCharacters) throw new AppError('TooLarge', `${file}: it is larger than ${YAML_BOUNDS.maxCharacters} bytes`);
    return decodeText(await handle.readFile());
  } catch (cause) {
    if (cause instanceof AppError && cause.code !== 'InvalidInput') throw cause;
    throw new AppError('InvalidInput', `${file}: it cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function parsed(file: string, text: string): unknown {
  try {
    const value = parseYamlDocument(text);
    const inexact = inexactNumber(text);
    if (inexact === undefined) return value;
    const where = `line ${inexact.line}, column ${inexact.column}`;
    throw new AppError(
      'InvalidInput',
      `the number ${inexact.text.slice(0, 60)} has more digits than can be kept (${where}); quote it if it is a text`,
    );
  } catch (cause) {
    throw new AppError('InvalidInput', `${file}: ${messageOf(cause)}`, { cause });
  }
}

/**
 * Lays `--set` and `--unset` over a content. Each value has the type that the form of the app gives the field. A list, of which a merge patch replaces all, begins
 * with what is live.
 *
 * @param form as the API shows it.
 * @throws AppError `ConfigInvalid` for a field that the app does not have, and for a value of another type.
 */
export function withFields(
  content: Content,
  args: Arguments,
  { form, live = {} }: { readonly form: unknown; readonly live?: Content },
): Content {
  let result = structuredClone(content);
  for (const text of args.texts('set')) {
    const { path, value } = splitSetting(text);
    result = put(result, path, { value: typed(nodeAt(form, path), value, formatPath(path)), live });
  }
  for (const text of args.texts('unset')) result = put(result, pathOf('unset', text), { value: null, live });
  return result;
}

function splitSetting(text: string): { readonly path: FormPath; readonly value: string } {
  const end = text.indexOf('=');
  if (end < 1) throw wrong('--set', `${JSON.stringify(text)} is not FIELD=VALUE, e.g. spec.replicas=3`);
  return { path: pathOf('set', text.slice(0, end)), value: text.slice(end + 1) };
}

function pathOf(option: string, text: string): FormPath {
  const path = parsePath(text);
  if (path === undefined || path.length === 0)
    throw wrong(`--${option}`, `${JSON.stringify(text)} is not a field such as spec.users[0].name`);
  return path;
}

/** The node of a form at a path; undefined below a field that is YAML. */
function nodeAt(form: unknown, path: FormPath): unknown {
  let node = at(form, 'root');
  for (const step of path) {
    const kind = textAt(node, 'kind');
    if (kind === 'yaml') return undefined;
    if (kind === 'choice')
      node = listAt(node, 'branches')
        .map((branch) => at(branch, 'node'))
        .find((one) => childOf(one, step) !== undefined);
    node = childOf(node, step);
    if (node === undefined) throw wrong('--set', `the app has no field ${formatPath(path)}; "chandlery explain" lists the fields`);
  }
  return node;
}

function childOf(node: unknown, step: string | number): unknown {
  const kind = textAt(node, 'kind');
  if (kind === 'list') return typeof step === 'number' ? at(node, 'item') : undefined;
  if (kind === 'map') return at(node, 'value');
  return listAt(node, 'children').find((child) => textAt(child, 'key') === String(step));
}

const WHOLE_NUMBER = /^-?\d{1,19}$/;
const NUMBER = /^-?\d{1,19}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?$/i;

/** A text as the type of its field. */
function typed(node: unknown, text: string, field: string): unknown {
  const option = listAt(node, 'options').find((one) => textAt(one, 'text') === text);
  if (option !== undefined) return at(option, 'value');
  const types = textsAt(node, 'types');
  if (types.length === 0) return parsed(`--set ${field}`, text);
  if (types.includes('boolean') && /^(?:true|false)$/.test(text)) return text === 'true';
  const number = exactNumber(text);
  if (types.includes('integer') && WHOLE_NUMBER.test(text) && number !== undefined) return number;
  if (types.includes('number') && NUMBER.test(text) && number !== undefined) return number;
  if (types.includes('string')) return text;
  if (number === undefined && NUMBER.test(text)) throw wrong('--set', `${field}: the number ${text} has more digits than can be kept`);
  throw wrong('--set', `${field}: the value must be of type ${types.join(' or ')}`);
}

interface Putting {
  readonly value: unknown;
  readonly live: unknown;
}

/** A copy with a value at a path. Lists and maps on the way are made where they are missing. */
function put(target: unknown, path: FormPath, { value, live }: Putting): Content {
  const [step, ...rest] = path;
  if (step === undefined) return value as Content;
  if (typeof step === 'number') return putInList(target, [step, ...rest], { value, live }) as unknown as Content;
  const below = put(at(target, step), rest, { value, live: at(live, step) });
  return { ...objectAt(target), [step]: below };
}

function putInList(target: unknown, [index = 0, ...rest]: FormPath, { value, live }: Putting): readonly unknown[] {
  const list = [...(Array.isArray(target) ? listAt(target) : listAt(live))];
  const row = Number(index);
  if (row > list.length) throw wrong('--set', `row ${row} of a list of ${list.length}: the next row is ${list.length}`);
  if (value === null && rest.length === 0) return list.toSpliced(row, 1);
  list[row] = put(list[row], rest, { value, live: at(live, row) });
  return list;
}
