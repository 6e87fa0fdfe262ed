import type { FieldFault } from '../../domain/core/errors.ts';
import { isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { type FormPath, parsePath } from '../../schema/form-path.ts';
import type { MigrationRow } from './migration.ts';
import { readYaml } from '../../schema/yaml-text.ts';

/**
 * Decisions by the path of their row: `remove`, `leave`, `keep` (the old default is written), `take` (the new default applies), `move:<path>`, or `set:` and
 * YAML for the value.
 */
export type Decisions = Readonly<Record<string, string>>;

export interface Decided {
  readonly values: JsonObject;
  /** Rows that nobody decided, or not in a way that they offer. */
  readonly faults: readonly FieldFault[];
}

/** The values as they become by the decisions; nothing is changed that has no row. */
export function decideMigration(values: JsonObject, rows: readonly MigrationRow[], decisions: Decisions): Decided {
  const result = structuredClone(values) as Json;
  const faults: FieldFault[] = [];
  for (const row of rows) {
    const decision = Object.hasOwn(decisions, row.path) ? (decisions[row.path] ?? '') : '';
    const fault = carryOut(result, row, decision);
    if (fault !== undefined) faults.push({ field: row.path, message: fault });
  }
  return { values: result as JsonObject, faults };
}

/** A sentence when it cannot be carried out. */
function carryOut(values: Json, row: MigrationRow, decision: string): string | undefined {
  const option = decision.startsWith('set:') ? 'set' : decision;
  if (!row.options.some((one) => one === option)) return decision === '' ? 'Choose an option' : 'Choose one of the options';
  if (option === 'take' || option === 'leave') return undefined;
  if (option === 'keep') {
    put(values, row.keys, row.from);
    return undefined;
  }
  if (option === 'set') return setText(values, row, decision.slice('set:'.length));
  if (option.startsWith('move:') && isTaken(values, option)) return 'The target field already has a value; choose another option';
  if (option.startsWith('move:')) put(values, parsePath(option.slice('move:'.length))?.slice(1) ?? [], row.value);
  put(values, row.keys, undefined);
  return undefined;
}

function isTaken(values: Json, option: string): boolean {
  const keys = parsePath(option.slice('move:'.length))?.slice(1) ?? [];
  const there = keys.reduce<unknown>((place, key) => memberOf(place, key), values);
  return there !== undefined && !(isObject(there) && Object.keys(there).length === 0);
}

function setText(values: Json, row: MigrationRow, text: string): string | undefined {
  const read = readYaml(text);
  if (read.fault !== undefined) return `Line ${read.line}: ${read.fault}`;
  if (read.value === undefined) return 'Enter a value';
  put(values, row.keys, read.value);
  return undefined;
}

/** Writes into a value of our own; `undefined` takes the member away. */
function put(values: Json, keys: FormPath, value: Json | undefined): void {
  const parent = keys.slice(0, -1).reduce<unknown>((place, key) => memberOf(place, key), values);
  const key = keys.at(-1);
  if (key === undefined || (!isObject(parent) && !Array.isArray(parent))) return;
  if (value === undefined) Reflect.deleteProperty(parent, key);
  else Object.defineProperty(parent, key, { value: structuredClone(value), enumerable: true, configurable: true, writable: true });
}

function memberOf(place: unknown, key: string | number): unknown {
  if (Array.isArray(place)) return place[Number(key)] as unknown;
  return isObject(place) && Object.hasOwn(place, key) ? place[key] : undefined;
}
