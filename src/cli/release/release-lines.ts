import { createTwoFilesPatch } from 'diff';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import type { EffectiveTarget } from '../../domain/release/effective-values.ts';
import type { ReleaseFault } from '../../domain/release/release-yaml.ts';
import type { FileChange, TargetUpgrade } from '../../domain/release/upgrade-target.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import { tableOf } from '../output.ts';
import { manyLines, oneLine } from '../../domain/core/plain-text.ts';

/** `created releases/v22.0.0/release.yaml`. */
export function fileLines({ path, before, after }: FileChange): string {
  return `${after === undefined ? 'deleted' : before === undefined ? 'created' : 'changed'}  ${oneLine(path)}`;
}

/** What an upgrade does to the tree. */
export function upgradeLines(done: TargetUpgrade): string[] {
  const { target, from, to, only, changes, values, moved, notes } = done;
  const head = `${target}: ${only === undefined ? '' : `${only} alone, `}${from === undefined ? '' : `${from} → `}${to}`;
  if (changes.length === 0) return [`${head}: nothing to change`, ...noteLines(notes)];
  return [
    head,
    ...changes.map(fileLines),
    ...values.map((value) => `value    ${oneLine(`${value.file}: ${value.path}: ${valueText(value.from)} → ${valueText(value.to)}`)}`),
    ...moved.map(
      ({ file, overlay, paths }) => `moved    ${oneLine(`${paths.join(', ')}: edited in base/${file}, now in overlay/${overlay}`)}`,
    ),
    ...noteLines(notes),
  ];
}

function noteLines(notes: readonly string[]): string[] {
  return notes.map((note) => `note     ${oneLine(note)}`);
}

/** The changed files as unified diffs. */
export function diffLines(changes: readonly FileChange[]): string[] {
  return changes.map(({ path, before, after }) =>
    manyLines(
      createTwoFilesPatch(
        before === undefined ? '/dev/null' : `a/${path}`,
        after === undefined ? '/dev/null' : `b/${path}`,
        before ?? '',
        after ?? '',
      ),
    ).trimEnd(),
  );
}

/** Effective values with the layer that set each, and keys that do nothing. */
export function effectiveLines({ resources, keys }: EffectiveTarget): string[] {
  const rows = resources.flatMap(({ resource, values }) => values.map((value) => ({ resource, ...value })));
  const columns = [
    { title: 'RESOURCE', cell: (row: (typeof rows)[number]) => row.resource },
    { title: 'FIELD', cell: (row: (typeof rows)[number]) => row.path },
    { title: 'VALUE', cell: (row: (typeof rows)[number]) => valueText(row.value) },
    { title: 'SET BY', cell: (row: (typeof rows)[number]) => row.origin },
  ];
  return [tableOf(columns, rows, { colors: false }).trimEnd(), ...keys.map((key) => faultLine(key, key.kind.toLowerCase()))];
}

/** `gauss/peu01/overlay/machinepool.yaml:7:5: redundant: …`, as compilers have it. */
export function faultLine({ file, line, column, message }: ReleaseFault, severity: string): string {
  return oneLine(`${file}${line === 0 ? '' : `:${line}:${column}`}: ${severity}: ${message}`);
}

const MAX_LENGTH = 80;

function valueText(value: Json | undefined): string {
  if (value === undefined) return '(none)';
  const text = typeof value === 'string' ? value : stringifyJson(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
}
