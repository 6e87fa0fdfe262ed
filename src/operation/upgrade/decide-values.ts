import { OURS } from '../../domain/kubernetes/names.ts';
import { applyMergePatch, isSame, mergePatchBetween } from '../../domain/core/merge-patch.ts';
import { at } from '../../domain/core/read.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import type { ForeignValueRow, ValueDecisions } from '../../domain/upgrade/preview/value-rows.ts';
import { mergeLayers } from '../../domain/values/layers.ts';
import { SECRET_VALUE } from '../../domain/values/value-change.ts';
import type { Decisions } from '../../form/migration/decide-migration.ts';
import type { MigrationRow } from '../../form/migration/migration.ts';
import { decideValues, previewValuesMigration, VALUES, type ValuesMigration } from '../../form/migration/values-migration.ts';
import { writeYaml } from '../../schema/yaml-text.ts';
import type { ComparedCharts } from './upgrade-charts.ts';
import { PLACEHOLDER, type OverlaidValues } from './preview-values.ts';

export interface DecideInput {
  readonly operator: KubeObject;
  readonly charts: ComparedCharts;
  /** The lowest layer first, `spec.values` last. */
  readonly values: OverlaidValues;
  /** Undefined: nobody has decided yet. */
  readonly decisions: Decisions | undefined;
}

export interface DecidedValues {
  readonly previewed: ValueDecisions;
  /** `spec.values` as they become, and the merge patch that makes them so; absent while nothing is decided. */
  readonly own?: JsonObject;
  readonly patch?: JsonObject;
  /** The same patch for the eyes of people. */
  readonly shownPatch?: JsonObject;
}

const MAX_ROWS = 200;
const NOTHING: ValueDecisions = { rows: [], otherLayers: [], state: 'None', faults: [] };

/** What another version of a chart asks about `spec.values`, and what they become by the decisions. Pure. */
export function decideOwnValues({ operator, charts, values, decisions }: DecideInput): DecidedValues {
  const { from, to } = charts;
  if (from === undefined || from.digest === to.digest) return { previewed: NOTHING };
  const own = values.layers.at(-1)?.values ?? {};
  const found = previewValuesMigration({ from: from.contents, to: to.contents, overlay: mergeLayers(values.layers), own });
  const preview = { ...found, rows: found.rows.slice(0, MAX_ROWS) };
  // What may not be read has a place, and no type.
  const elsewhere = found.elsewhere.filter(({ value, change }) => value !== PLACEHOLDER || change === 'removed' || change === 'renamed');
  const source = operator.metadata.labels?.[OURS.sourceLabel];
  const previewed: ValueDecisions = {
    rows: preview.rows.map(masked),
    otherLayers: elsewhere.map((row) => foreign(row, values)),
    state: preview.rows.length === 0 && elsewhere.length === 0 ? 'None' : 'Pending',
    faults: [],
    ...(source === undefined ? {} : { source }),
  };
  return decisions === undefined || preview.rows.length === 0 ? { previewed } : decided(previewed, { own, preview, decisions, charts });
}

interface Deciding {
  readonly own: JsonObject;
  readonly preview: ValuesMigration;
  readonly decisions: Decisions;
  readonly charts: ComparedCharts;
}

function decided(previewed: ValueDecisions, { own, preview, decisions, charts }: Deciding): DecidedValues {
  const to = charts.to.contents;
  const { values, faults } = decideValues(own, preview, { decisions, to });
  const patch = mergePatchBetween(own, values) as JsonObject;
  const isExact = isSame(applyMergePatch(own, patch), values);
  const nulls = isExact ? [] : [{ message: 'A value cannot become null here: change spec.values of the resource instead' }];
  if (faults.length > 0 || !isExact) return { previewed: { ...previewed, state: 'Invalid', faults: [...faults, ...nulls] } };
  const rows = preview.rows.map(masked);
  const secret = new Set(rows.flatMap((row) => (row.secret ? [row.path] : [])));
  const said = Object.entries(decisions).map(([path, text]) => [
    path,
    secret.has(path) && text.startsWith('set:') ? `set:"${SECRET_VALUE}"` : text,
  ]);
  const shown = decideValues(own, { ...preview, rows }, { decisions: Object.fromEntries(said), to }).values;
  const yaml = writeYaml(withoutSecrets(shown, own, rows));
  return {
    previewed: { ...previewed, state: 'Complete', yaml },
    own: values,
    patch,
    shownPatch: mergePatchBetween(own, shown) as JsonObject,
  };
}

/** A secret that stays where it is has nothing to do in a text either. */
function withoutSecrets(shown: JsonObject, own: JsonObject, rows: readonly MigrationRow[]): JsonObject {
  return rows.reduce((values, { secret, keys }) => {
    const isThere = secret && at(own, ...keys) !== undefined && at(values, ...keys) !== undefined;
    const patch = keys.reduceRight<unknown>((value, key) => ({ [key]: value }), SECRET_VALUE);
    return isThere && keys.every((key) => typeof key === 'string') ? (applyMergePatch(values, patch) as JsonObject) : values;
  }, shown);
}

function masked(row: MigrationRow): MigrationRow {
  return row.secret && row.value !== undefined ? { ...row, value: SECRET_VALUE } : row;
}

/** The layer that sets it; of those that do, the highest. */
function foreign({ path, keys, change, message }: MigrationRow, { layers }: OverlaidValues): ForeignValueRow {
  const origin = layers.findLast(({ values }) => at(values, ...keys) !== undefined)?.origin ?? VALUES;
  return { path, change, message, origin };
}
