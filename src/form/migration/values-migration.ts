import { at, isObject } from '../../domain/core/read.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { chartValuesSchema, openedFor, withMaps, withoutAddedMaps, type DescribedChart } from '../../schema/chart-values.ts';
import { decideMigration, type Decided, type Decisions } from './decide-migration.ts';
import { migrationRows, type MigrationRow } from './migration.ts';

export const VALUES = 'values';

export interface ValuesMigrationInput {
  readonly from: DescribedChart;
  readonly to: DescribedChart;
  /** What is laid over the values of the chart, all layers together. */
  readonly overlay: JsonObject;
  /** The layer of these that decisions change. */
  readonly own: JsonObject;
}

export interface ValuesMigration {
  /** What can be decided in the own layer. */
  readonly rows: readonly MigrationRow[];
  /** What is wrong with values of other layers. */
  readonly elsewhere: readonly MigrationRow[];
}

/** What another version of a chart asks about the values that are laid over its own. */
export function previewValuesMigration({ from, to, overlay, own }: ValuesMigrationInput): ValuesMigration {
  const [before, next] = [chartValuesSchema(from), chartValuesSchema(to)];
  const after = openedFor(overlay, before, next);
  const rows = migrationRows({ from: before, to: after, values: withMaps(after, overlay), root: VALUES }).map((row) =>
    withLeave(row, next),
  );
  const isOwn = ({ keys, value }: MigrationRow): boolean => value === undefined || at(own, ...(keys as readonly string[])) !== undefined;
  return { rows: rows.filter(isOwn), elsewhere: rows.filter((row) => !isOwn(row)) };
}

/** A value without a place harms nobody, unless the schema of the chart rejects it. */
function withLeave(row: MigrationRow, next: JsonObject): MigrationRow {
  if (row.change !== 'removed' && row.change !== 'renamed') return row;
  const parent = row.keys.slice(0, -1).reduce<unknown>((schema, key) => at(schema, 'properties', String(key)), next);
  return isObject(parent) && parent['x-closed'] === true ? row : { ...row, options: [...row.options, 'leave'] };
}

/** The own layer as it becomes by the decisions. A changed default that nobody speaks of is followed. */
export function decideValues(
  own: JsonObject,
  { rows }: ValuesMigration,
  { decisions, to }: { readonly decisions: Decisions; readonly to: DescribedChart },
): Decided {
  const followed = rows.filter(({ change }) => change === 'default').map(({ path }) => [path, 'take'] as const);
  const decided = decideMigration(withMaps(chartValuesSchema(to), own), rows, { ...Object.fromEntries(followed), ...decisions });
  return { ...decided, values: withoutAddedMaps(decided.values, own) };
}
