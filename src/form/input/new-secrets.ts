import { randomInt } from 'node:crypto';
import { generatePassword, type RandomBelow } from '../../domain/core/generate-password.ts';
import type { NewSecret } from '../../domain/instance/new-secret.ts';
import { secret } from '../../domain/core/secret.ts';
import { checkScalar } from '../controls/scalar.ts';
import type { TextNode } from '../controls/text.ts';
import { isScalar, isSecret, type FormModel, type FormNode } from '../model/form-node.ts';
import { formatPath, type FormPath } from '../../schema/form-path.ts';
import { SECRETS } from '../references/reference-targets.ts';
import { fieldMap, fieldName, nodeAt, parseFieldName, withFields, type FieldMap } from './form-fields.ts';

/** The name of the input that a value is typed into. It is in no list of inputs that travel along: it is sent once, and never shown. */
export function typedName(path: FormPath): string {
  return `w.${formatPath(path)}`;
}

/** The form without the values that were typed for new Secrets, and those values by the path of the name. What was typed is remembered as typed. */
export function splitTyped(body: URLSearchParams): { readonly fields: URLSearchParams; readonly typed: ReadonlyMap<string, string> } {
  const values = [...body].filter(([name]) => name.startsWith('w.'));
  const typed = new Map(values.filter(([, value]) => value !== '').map(([name, value]) => [name.slice(2), value]));
  const fields = new URLSearchParams([...body].filter(([name]) => !name.startsWith('w.')));
  const asked = [...fields.keys()].filter((name) => name.startsWith('m.') && typed.has(name.slice(2)));
  return { fields: asked.length === 0 ? fields : withFields(fields, new Map(asked.map((name) => [name, 'type']))), typed };
}

/** A text that names a Secret whose key stands beside it: for such a one a Secret can be made. */
export function canBeMade(node: FormNode): node is TextNode & { readonly reference: { readonly key: string } } {
  if (node.kind !== 'text' || node.reference?.part !== 'name') return false;
  return node.reference.key !== undefined && node.reference.to.resource === SECRETS.resource && node.reference.to.group === '';
}

/** More than can be made at once, so that whoever asks for more gets an error. */
const MAX_SECRETS = 50;

/** The Secrets that the form asks for. A value that has to be typed is empty when they are written without it; before that it may come later. */
export function newSecretsOf(
  model: FormModel,
  fields: URLSearchParams,
  { typed, writing }: { readonly typed: ReadonlyMap<string, string>; readonly writing: boolean },
): NewSecret[] {
  const map = fieldMap(fields);
  const wanted = [...map].flatMap(([name, how]) => {
    const path = asked(model, map, name);
    if (path === undefined) return [];
    const text = formatPath(path.name);
    const value = typed.get(text) ?? (how === 'type' ? (writing ? '' : 'typed later') : undefined);
    const made = { name: map.get(fieldName('value', path.name)) ?? '', key: map.get(fieldName('value', path.key)) ?? '', field: text };
    return [value === undefined ? made : { ...made, value: secret(value) }];
  });
  return wanted.slice(0, MAX_SECRETS);
}

/** Where the name and the key stand, if the input asks for a Secret that the form as it is can refer to. */
function asked(model: FormModel, fields: FieldMap, name: string): { readonly name: FormPath; readonly key: FormPath } | undefined {
  const parsed = parseFieldName(name);
  if (parsed?.part !== 'secret') return undefined;
  const { path } = parsed;
  const node = nodeAt(model.root, path, fields);
  const isYaml = path.some((_, index) => fields.has(fieldName('yaml', path.slice(0, index + 1))));
  if (node === undefined || isYaml || !canBeMade(node)) return undefined;
  return { name: path, key: [...path.slice(0, -1), node.reference.key] };
}

/**
 * `secret:spec.passwordRef.name` asks for a new Secret, with names that can be changed; `existing:…` takes that back; `generate:spec.password` fills a
 * secret field in, and `_generated` says which, for the page that shows it once; `clear:…` empties it.
 */
export function applySecretOp(
  model: FormModel,
  fields: URLSearchParams,
  {
    verb,
    path,
    node,
    random = randomInt,
  }: { readonly verb: string; readonly path: FormPath; readonly node: FormNode; readonly random?: RandomBelow },
): { readonly fields: URLSearchParams; readonly fault?: string } {
  if (verb === 'generate') return generated(fields, { path, node, random });
  if (verb === 'clear') return { fields: node.kind === 'secret' ? withFields(fields, new Map([[fieldName('value', path), '']])) : fields };
  if (model.mode !== 'create' || !canBeMade(node)) return { fields };
  const changed = new URLSearchParams(fields);
  const names = [fieldName('value', path), fieldName('value', [...path.slice(0, -1), node.reference.key])] as const;
  if (verb === 'existing') {
    for (const name of [fieldName('secret', path), ...names]) changed.delete(name);
    return { fields: changed };
  }
  changed.set(fieldName('secret', path), 'generate');
  const field = stemOf(path);
  const instance = (fields.get('name') ?? '').trim();
  fillIn(changed, names[0], [instance, field].filter((part) => part !== '').join('-'));
  fillIn(changed, names[1], /token$/i.test(field) ? 'token' : 'password');
  return { fields: changed };
}

function fillIn(fields: URLSearchParams, name: string, text: string): void {
  if ((fields.get(name) ?? '') === '') fields.set(name, text);
}

/** `spec.passwordSecretRef.name` reads `password`. */
function stemOf(path: FormPath): string {
  const keys = path.filter((step) => typeof step === 'string');
  const own = keys.at(-1) === 'name' ? keys.at(-2) : keys.at(-1);
  const stem = (own ?? '').replace(/(secret)?(key)?(name|ref|selector|reference)?$/i, '');
  const words = (stem === '' ? 'secret' : stem).replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
  return words.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '') || 'secret';
}

function generated(
  fields: URLSearchParams,
  { path, node, random }: { readonly path: FormPath; readonly node: FormNode; readonly random: RandomBelow },
): { readonly fields: URLSearchParams; readonly fault?: string } {
  if (!isScalar(node) || !isSecret(node) || !('constraints' in node)) return { fields };
  const { minLength, maxLength } = node.constraints;
  const limits = { ...(minLength === undefined ? {} : { minLength }), ...(maxLength === undefined ? {} : { maxLength }) };
  const value = generatePassword({ ...limits, accepts: (text) => checkScalar(node, text) === undefined }, random);
  if (value === undefined) return { fields, fault: 'No value could be generated that follows the rules of this field; enter one' };
  const changed = new URLSearchParams(fields);
  changed.set(fieldName('value', path), value);
  changed.delete(fieldName('state', path));
  changed.set('_generated', formatPath(path));
  return { fields: changed };
}
