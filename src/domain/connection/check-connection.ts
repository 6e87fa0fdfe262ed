import { at, isObject, objectAt, textAt } from '../core/read.ts';
import type { JsonObject } from '../kubernetes/resource.ts';
import type { CatalogKind } from '../operator/kind/catalog-fields.ts';
import type { ConnectionEntry } from '../operator/kind/connection-fields.ts';
import { placeholdersIn, resolveConnection, stepsOf } from './connection.ts';

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
