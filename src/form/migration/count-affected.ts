import type { StoredCheck } from '../../domain/upgrade/crd-safety/stored-checks.ts';
import { MIGRATION_CHANGES, type MigrationChange } from '../../domain/upgrade/preview/value-rows.ts';
import { objectAt } from '../../domain/core/read.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import type { AffectedFields, AffectedInstance, AffectedInstances } from '../../domain/upgrade/preview/upgrade-preview.ts';
import { migrationRows, schemaPath } from './migration.ts';
import type { StoredVisitor } from '../../schema/stored/check-stored-instances.ts';

const ROOT = 'spec';
const MAX_NAMES = 50;
const MAX_LISTED = 10;
/** Keys that people make up are fields, too, so their number has a bound. */
const MAX_FIELDS = 1_000;

/** Counts, while stored instances are read, what a changed schema will ask somebody to decide about them. */
export interface AffectedCount extends StoredVisitor {
  readonly result: () => AffectedInstances;
}

export function countAffected(): AffectedCount {
  const tallies: Tally[] = [];
  return {
    begin: (check) => {
      // Reading may begin anew.
      if (tallies.at(-1)?.check === check) tallies.pop();
      tallies.push({ check, fields: new Map(), instances: new Map(), named: new Map() });
    },
    add: (items) => {
      const tally = tallies.at(-1);
      if (tally !== undefined) for (const item of items) count(tally, item);
    },
    result: () => resultOf(tallies),
  };
}

interface Tally {
  readonly check: StoredCheck;
  readonly fields: Map<MigrationChange, Set<string>>;
  /** `namespace/name` of those with rows of the change. */
  readonly instances: Map<MigrationChange, Set<string>>;
  readonly named: Map<string, AffectedInstance>;
}

function count({ check, fields, instances, named }: Tally, { metadata: { namespace, name }, spec }: KubeObject): void {
  const specOf = (schema: unknown): JsonObject => objectAt(schema, 'properties', ROOT) as JsonObject;
  const rows = migrationRows({ from: specOf(check.before), to: specOf(check.schema), values: (spec ?? {}) as JsonObject, root: ROOT });
  const key = `${namespace ?? ''}/${name}`;
  for (const { change, keys } of rows) {
    const known = setOf(fields, change);
    if (known.size < MAX_FIELDS) known.add(`${check.prefix}${schemaPath(ROOT, keys)}`);
    setOf(instances, change).add(key);
  }
  if (rows.length === 0 || named.size === MAX_NAMES) return;
  const counts = MIGRATION_CHANGES.map((change) => ({ change, count: rows.filter((row) => row.change === change).length }));
  named.set(key, { ...(namespace === undefined ? {} : { namespace }), name, rows: counts.filter((one) => one.count > 0) });
}

function setOf(map: Map<MigrationChange, Set<string>>, change: MigrationChange): Set<string> {
  const found = map.get(change) ?? new Set();
  map.set(change, found);
  return found;
}

function resultOf(tallies: readonly Tally[]): AffectedInstances {
  const all = (of: 'fields' | 'instances', change: MigrationChange): string[] =>
    tallies.flatMap((tally) => [...(tally[of].get(change) ?? [])]);
  const changes = MIGRATION_CHANGES.flatMap((change): AffectedFields[] => {
    const fields = [...new Set(all('fields', change))].sort();
    const instances = new Set(all('instances', change)).size;
    return instances === 0 ? [] : [{ change, fields: fields.slice(0, MAX_LISTED), fieldCount: fields.length, instances }];
  });
  const total = new Set(MIGRATION_CHANGES.flatMap((change) => all('instances', change))).size;
  const named = new Map(tallies.flatMap((tally) => [...tally.named]));
  return { changes, total, instances: [...named.values()].slice(0, MAX_NAMES) };
}
