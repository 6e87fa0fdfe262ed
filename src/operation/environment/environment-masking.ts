import type { CatalogEntry } from '../../domain/catalog/app-catalog.ts';
import { AppError } from '../../domain/core/errors.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { at, isObject, listAt, objectAt, textAt } from '../../domain/core/read.ts';
import { contentOf } from '../../domain/instance/instance-content.ts';
import type { Json, JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { hasStandIn, unmaskValue } from '../../schema/sensitive/mask.ts';
import { BY_NAMES, type Marked } from '../../schema/sensitive/sensitive-values.ts';
import { catalogEntries } from '../app/find-app.ts';
import { contentMarked, markedOf, maskContent } from '../instance/instance-masking.ts';
import type { Ports } from '../ports.ts';

/** An Environment as people are shown it: with stand-ins for the sensitive values that it lays over the catalogue. */
export function shownEnvironment(ports: Pick<Ports, 'catalog'>, object: KubeObject): KubeObject {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  const rows = listAt(object.spec, 'overlay');
  if (rows.length === 0) return { ...object, metadata };
  const overlay = rows.map((row) => {
    const values = at(row, 'values');
    return isObject(values) ? { ...objectAt(row), values: maskContent(entryOf(ports, row), values as JsonObject) } : row;
  });
  return { ...object, metadata, spec: { ...objectAt(object.spec), overlay } };
}

/**
 * The spec that was sent, with live values in the place of their stand-ins.
 *
 * @throws AppError `InvalidInput` for a stand-in that stands for nothing: none is ever written.
 */
export function unmaskEnvironment(ports: Pick<Ports, 'catalog'>, spec: JsonObject, live?: unknown): JsonObject {
  const rows = listAt(spec, 'overlay');
  if (rows.length === 0 || !hasStandIn(stringifyJson(rows))) return spec;
  const overlay = rows.map((row, index) => unmaskRow(ports, row, { index, live }) as Json);
  return { ...spec, overlay };
}

function unmaskRow(
  ports: Pick<Ports, 'catalog'>,
  row: unknown,
  { index, live }: { readonly index: number; readonly live: unknown },
): unknown {
  const values = at(row, 'values');
  if (!isObject(values)) return row;
  const before = listAt(live, 'overlay').find((one) => textAt(one, 'app') === textAt(row, 'app'));
  const entry = entryOf(ports, row);
  const marked: Marked = entry === undefined ? BY_NAMES : contentMarked(markedOf(entry));
  const known = before === undefined ? undefined : contentOf(at(before, 'values'));
  const { value, faults } = unmaskValue(marked, { value: values as JsonObject, root: [] }, known);
  const [first] = faults;
  if (first === undefined) return { ...objectAt(row), values: value };
  const placed = faults.map(({ field = '', ...fault }) => ({ ...fault, field: `spec.overlay[${index}].values.${field}` }));
  throw new AppError('InvalidInput', `environment: spec.overlay[${index}].values: ${first.message}`, { faults: placed });
}

function entryOf(ports: Pick<Ports, 'catalog'>, row: unknown): CatalogEntry | undefined {
  return catalogEntries(ports).find(({ summary }) => summary.id === textAt(row, 'app'));
}
