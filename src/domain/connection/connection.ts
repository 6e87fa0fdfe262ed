import { releaseNamespaceOf } from '../app-instance/instance.ts';
import { at, isObject, objectAt, textAt } from '../core/read.ts';
import { isDnsSubdomain } from '../kubernetes/names.ts';
import { type JsonObject, type KubeObject, parseApiVersion } from '../kubernetes/resource.ts';
import type { CatalogKind } from '../operator/kind/catalog-fields.ts';
import type { ConnectionEntry } from '../operator/kind/connection-fields.ts';

/** Whether the name of a Secret is made of the name of its instance, or of fields that may name any other. */
type SecretNaming = 'AfterInstance' | 'ByFields';

/** Where the value of a key comes from, as far as the instance alone decides it. */
export type ConnectionSource =
  | { readonly kind: 'Value'; readonly value: string }
  | { readonly kind: 'SecretKey'; readonly secret: string; readonly key: string; readonly named: SecretNaming }
  | { readonly kind: 'ServicePort'; readonly service: string; readonly port?: string | number }
  /** Nothing can be said yet, and why. */
  | { readonly kind: 'Unresolved'; readonly reason: 'NoValue' | 'InvalidName'; readonly message: string };

/** One key of the connection of an instance. */
export interface ConnectionKey {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly source: ConnectionSource;
}

const PLACEHOLDER = /\{([^{}]*)\}/g;
/** Characters of a value; what is longer is cut. */
const MAX_VALUE_LENGTH = 2_000;

/** What the catalogue says of a connection, filled in for one instance. */
export function resolveConnection(entries: readonly ConnectionEntry[], instance: KubeObject): ConnectionKey[] {
  return entries.map((entry) => {
    const { name, label = name, description } = entry;
    return { name, label, description, source: sourceOf(entry, instance) };
  });
}

function sourceOf({ value, fieldPath, secretKeyRef, serviceRef }: ConnectionEntry, instance: KubeObject): ConnectionSource {
  if (secretKeyRef !== undefined) {
    const { name, key } = secretKeyRef;
    const named = placeholdersIn(name).includes('name') ? 'AfterInstance' : 'ByFields';
    return withName('Secret', fillPlaceholders(name, instance), (secret) => ({ kind: 'SecretKey', secret, key, named }));
  }
  if (serviceRef !== undefined) {
    const port = serviceRef.port?.number ?? serviceRef.port?.name;
    const rest = port === undefined ? {} : { port };
    return withName('Service', fillPlaceholders(serviceRef.name, instance), (service) => ({ kind: 'ServicePort', service, ...rest }));
  }
  const filled = fieldPath === undefined ? fillPlaceholders(value ?? '', instance) : fillPlaceholders(`{${fieldPath}}`, instance);
  return 'missing' in filled ? unresolved(filled.missing) : { kind: 'Value', value: filled.text.slice(0, MAX_VALUE_LENGTH) };
}

type Filled = { readonly text: string } | { readonly missing: string };

function withName(kind: 'Secret' | 'Service', filled: Filled, source: (name: string) => ConnectionSource): ConnectionSource {
  if ('missing' in filled) return unresolved(filled.missing);
  if (isDnsSubdomain(filled.text)) return source(filled.text);
  return {
    kind: 'Unresolved',
    reason: 'InvalidName',
    message: `${JSON.stringify(filled.text.slice(0, 100))} is not a valid name of a ${kind}`,
  };
}

function unresolved(path: string): ConnectionSource {
  return { kind: 'Unresolved', reason: 'NoValue', message: `The instance does not have ${path} yet` };
}

/** A text with the values of an instance; the first path that has none. */
function fillPlaceholders(template: string, instance: KubeObject): Filled {
  let missing: string | undefined;
  const text = template.replaceAll(PLACEHOLDER, (_, path: string) => {
    const value = valueAt(path, instance);
    if (value === undefined) missing ??= path;
    return value ?? '';
  });
  return missing === undefined ? { text } : { missing };
}

function valueAt(path: string, instance: KubeObject): string | undefined {
  if (path === 'name') return instance.metadata.name;
  // What an instance offers is where its release is.
  if (path === 'namespace') return releaseNamespaceOf(instance);
  const value = at(instance, ...stepsOf(path));
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

/** `spec.users[0].name` and `metadata.labels["a.b/c"]` in steps. */
function stepsOf(path: string): (string | number)[] {
  return [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(([, quoted, row, plain]) =>
    row === undefined ? (quoted ?? plain ?? '') : Number(row),
  );
}

/** The paths that a text names by placeholders. */
function placeholdersIn(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].map(([, path = '']) => path);
}

/** What the types of Secrets say that are never for applications. */
const RESERVED_TYPES = new Set(['kubernetes.io/service-account-token', 'helm.sh/release.v1', 'bootstrap.kubernetes.io/token']);

/**
 * Why a Secret is none of the instance's, whatever its name; undefined when it is one. Owner references decide: the same name can be computed from two
 * instances, from `a` by `{name}-b-app` and from `a-b` by `{name}-app`.
 */
export function foreignSecret(secret: KubeObject, instance: KubeObject, named: SecretNaming): string | undefined {
  const { ownerReferences = [] } = secret.metadata;
  const type = textAt(secret, 'type') ?? '';
  if (RESERVED_TYPES.has(type)) return `it is of type ${type}`;
  if (ownerReferences.some(({ uid }) => uid === instance.metadata.uid)) return undefined;
  if (named === 'ByFields') return 'it has no owner reference to the instance';
  const other = ownerReferences.find(
    ({ apiVersion, kind }) => kind === instance.kind && groupOf(apiVersion) === groupOf(instance.apiVersion),
  );
  return other === undefined ? undefined : `it belongs to ${other.kind} ${other.name}`;
}

function groupOf(apiVersion: string): string {
  return parseApiVersion(apiVersion).group;
}

/** One value of a Secret; base64 where the bytes are no UTF-8. */
export interface SecretValue {
  readonly value: string;
  readonly encoding: 'utf-8' | 'base64';
}

/** The value of one key of a Secret; undefined when it has no such key. */
export function secretValueAt(secret: KubeObject, key: string): SecretValue | undefined {
  const data = objectAt(secret, 'data');
  const encoded = Object.hasOwn(data, key) ? data[key] : undefined;
  if (typeof encoded !== 'string') return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  try {
    return { value: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), encoding: 'utf-8' };
  } catch {
    return { value: encoded, encoding: 'base64' };
  }
}

interface Scope {
  /** Of the block in the Operator. */
  readonly place: string;
  /** Of a whole instance. */
  readonly schema: unknown;
  /** Why the schema has no such field; undefined when it has one. Rows are `[]`. */
  readonly unknownPath: (steps: readonly string[]) => string | undefined;
}

interface Fault {
  readonly field: string;
  readonly message: string;
}

/** What is wrong with the connection of a kind: placeholders that stand for nothing, and what the example of the kind leaves empty. */
export function connectionFaults({ connection, example }: CatalogKind, scope: Scope): readonly Fault[] {
  const instance = exampleInstance(example);
  return connection.flatMap((entry, index) => {
    const place = `${scope.place}.connection[${index}]`;
    const wrong = pathsOf(entry).flatMap(({ path, field }) => {
      const message = wrongPath(path, scope) ?? (instance === undefined ? undefined : emptyInExample(path, instance, scope));
      return message === undefined ? [] : [{ field: `${place}.${field}`, message }];
    });
    return wrong.length > 0 || instance === undefined ? wrong : wrongNames(entry, instance, place);
  });
}

function pathsOf({
  value = '',
  fieldPath,
  secretKeyRef,
  serviceRef,
}: ConnectionEntry): { readonly path: string; readonly field: string }[] {
  const inText = (text: string, field: string) => placeholdersIn(text).map((path) => ({ path, field }));
  return [
    ...inText(value, 'value'),
    ...(fieldPath === undefined ? [] : [{ path: fieldPath, field: 'fieldPath' }]),
    ...inText(secretKeyRef?.name ?? '', 'secretKeyRef.name'),
    ...inText(serviceRef?.name ?? '', 'serviceRef.name'),
  ];
}

const METADATA = ['name', 'namespace', 'uid', 'labels', 'annotations'];

function wrongPath(path: string, { unknownPath }: Scope): string | undefined {
  if (path === 'name' || path === 'namespace') return undefined;
  const [root, member] = stepsOf(path);
  if (root === 'spec' || root === 'status') {
    return unknownPath(stepsOf(path).map((step) => (typeof step === 'number' ? '[]' : step)));
  }
  if (root === 'metadata' && METADATA.includes(String(member))) return undefined;
  return `there is no placeholder {${path}}; write {name}, {namespace} or a path such as {spec.port}`;
}

/** The example as an instance; it may be written as a `spec` alone. */
function exampleInstance(example: JsonObject | undefined): JsonObject | undefined {
  if (example === undefined) return undefined;
  return isObject(example['spec']) ? example : { spec: example };
}

/** The operator writes the status, and the schema may have a default. */
function emptyInExample(path: string, instance: JsonObject, { schema }: Scope): string | undefined {
  const steps = stepsOf(path);
  if (steps[0] !== 'spec' || at(instance, ...steps) !== undefined || hasDefault(schema, steps)) return undefined;
  return `${path} has no value in the example and no default`;
}

function hasDefault(schema: unknown, steps: readonly (string | number)[]): boolean {
  let node = schema;
  for (const step of steps) {
    node = typeof step === 'number' ? at(node, 'items') : (at(node, 'properties', step) ?? at(node, 'additionalProperties'));
    if (at(node, 'default') !== undefined) return true;
  }
  return false;
}

/** Names that are none, tried with what the example has. */
function wrongNames(entry: ConnectionEntry, example: JsonObject, place: string): Fault[] {
  const metadata = { ...objectAt(example, 'metadata'), name: textAt(example, 'metadata', 'name') ?? 'example', namespace: 'example' };
  const [key] = resolveConnection([entry], { ...example, apiVersion: '', kind: '', metadata });
  if (key?.source.kind !== 'Unresolved' || key.source.reason !== 'InvalidName') return [];
  return [{ field: `${place}.${entry.secretKeyRef === undefined ? 'serviceRef' : 'secretKeyRef'}.name`, message: key.source.message }];
}
