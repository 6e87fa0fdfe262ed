// `npm run bench:forms [-- FOLDER]`: our forms and those of @rjsf/core over the same schemas, in the same run.
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { readFormSources, type FormSource } from '../src/compose/form-sources.ts';
import { messageOf } from '../src/domain/core/errors.ts';
import { MAX_LEAVES } from '../test/support/large-kind.ts';
import { measureOpened, type Opened } from './measure-large.ts';
import { measureOurs, type Ours } from './measure-ours.ts';
import { measurePeer, type Peer } from './measure-peer.ts';
import type { ValueCounts } from './typed-values.ts';
import { measureTurns } from './measure-turns.ts';

const TARGETS = { typedShare: 0.97, valueShare: 0.97, chartShare: 0.95, kindShare: 0.99, pageMs: 100, pageBytes: 200 * 1024, turnMs: 100 };
const SMALL_LEAVES = 50;

interface Row {
  readonly title: string;
  readonly ours: Ours;
  readonly peer: Peer;
}

const folders = [join(import.meta.dirname, '../../shared/schemas'), ...process.argv.slice(2)].filter((folder) => existsSync(folder));
const rows: Row[] = [];
for (const file of folders.flatMap(schemaFiles)) {
  for (const source of await sourcesIn(file)) {
    rows.push({ title: source.title, ours: measureOurs(source), peer: measurePeer(source) });
  }
}
print(rows);
const failed = [report(rows), compareSizes([SMALL_LEAVES, MAX_LEAVES].map(measureOpened)), await reportTurns()];
process.exitCode = Math.max(...failed);

function schemaFiles(folder: string): string[] {
  const files = globSync(['**/*.{yaml,yml,json}', '**/*.tgz'], { cwd: folder }).filter(
    (file) => !/(^|\/)values\.|\.values\.ya?ml$/.test(file),
  );
  return files.sort().map((file) => join(folder, file));
}

async function sourcesIn(file: string): Promise<FormSource[]> {
  try {
    return await readFormSources(file, AbortSignal.timeout(60_000));
  } catch (error) {
    console.error(`left out: ${messageOf(error)}`);
    return [];
  }
}

function print(all: readonly Row[]): void {
  const head = [
    'schema',
    'leaves',
    'typed %',
    'YAML %',
    'values',
    'typed %',
    'unreach.',
    'same',
    'model ms',
    'page ms',
    'page KB',
    'rjsf ms',
    'rjsf KB',
    'rjsf leaves',
  ];
  const table = [head, ...all.map(cellsOf)];
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  for (const row of table) {
    console.log(row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '));
  }
}

function cellsOf({ title, ours, peer }: Row): string[] {
  const { coverage, roundTrip, modelMs, pageMs, pageBytes } = ours;
  const { leaves, yaml, unreachable } = coverage;
  const own = [
    percent(shareOf(ours)),
    percent(yaml / Math.max(1, leaves)),
    String(ours.valueCounts?.values ?? '-'),
    ours.valueCounts === undefined ? '-' : percent(valueShareOf(ours.valueCounts)),
    String(unreachable.length),
    roundTrip,
    ...[modelMs, pageMs].map(ms),
  ];
  const theirs = peer.fault === undefined ? [ms(peer.ms), kib(peer.bytes), String(peer.inputs)] : ['-', '-', peer.fault];
  return [title.replace(/\.schema\.\w+$/, ''), String(leaves), ...own, kib(pageBytes), ...theirs];
}

function valueShareOf({ values, typed }: ValueCounts): number {
  return typed / Math.max(1, values);
}

/** The share of the leaves with a control of their own, of those that the schema describes. */
function shareOf({ coverage: { leaves, typed, freeForm } }: Ours): number {
  return leaves === freeForm ? 1 : typed / (leaves - freeForm);
}

function report(all: readonly Row[]): number {
  const sum = (count: (ours: Ours) => number): number => all.reduce((total, { ours }) => total + count(ours), 0);
  const leaves = sum(({ coverage }) => coverage.leaves);
  const described = leaves - sum(({ coverage }) => coverage.freeForm);
  const share = sum(({ coverage }) => coverage.typed) / Math.max(1, described);
  const slowest = Math.max(0, ...all.map(({ ours }) => ours.pageMs));
  const largest = Math.max(0, ...all.map(({ ours }) => ours.pageBytes));
  const shareIn = (some: readonly Row[]): number => {
    const total = (count: (ours: Ours) => number): number => some.reduce((amount, { ours }) => amount + count(ours), 0);
    return (
      total(({ coverage }) => coverage.typed) /
      Math.max(
        1,
        total(({ coverage: { leaves: all } }) => all),
      )
    );
  };
  const [charts, kinds] = [
    all.filter(({ title }) => title.startsWith('values of')),
    all.filter(({ title }) => !title.startsWith('values of')),
  ];
  const counted = charts.flatMap(({ ours }) => ours.valueCounts ?? []);
  const valueCounts: ValueCounts = {
    values: counted.reduce((total, { values }) => total + values, 0),
    typed: counted.reduce((total, { typed }) => total + typed, 0),
    untyped: [],
  };
  const checks: readonly (readonly [string, boolean])[] = [
    [`${all.length} schemas, ${leaves} leaves, ${described} of them described`, all.length > 0],
    [`typed: ${percent(share)} % of the described leaves (at least ${TARGETS.typedShare * 100} %)`, share >= TARGETS.typedShare],
    [
      `of all leaves of charts, free-form ones included: ${percent(shareIn(charts))} % (at least ${TARGETS.chartShare * 100} %)`,
      shareIn(charts) >= TARGETS.chartShare,
    ],
    [`of all leaves of kinds: ${percent(shareIn(kinds))} % (at least ${TARGETS.kindShare * 100} %)`, shareIn(kinds) >= TARGETS.kindShare],
    [
      `of all ${valueCounts.values} values in values.yaml: ${percent(valueShareOf(valueCounts))} % (at least ${TARGETS.valueShare * 100} %)`,
      valueShareOf(valueCounts) >= TARGETS.valueShare,
    ],
    [
      `unreachable: ${sum(({ coverage }) => coverage.unreachable.length)} (0)`,
      all.every(({ ours }) => ours.coverage.unreachable.length === 0),
    ],
    [
      `values come back as they were: ${all.filter(({ ours }) => ours.roundTrip === 'yes').length} of ${all.length}`,
      all.every(({ ours }) => ours.roundTrip === 'yes'),
    ],
    [`slowest first page: ${ms(slowest)} ms (below ${TARGETS.pageMs} ms)`, slowest < TARGETS.pageMs],
    [`largest first page: ${kib(largest)} KB (below ${TARGETS.pageBytes / 1024} KB)`, largest < TARGETS.pageBytes],
  ];
  console.log('');
  const empty = kinds.filter(({ ours }) => ours.inFront === 0);
  console.log(`kinds that open with nothing in front: ${empty.length === 0 ? 'none' : empty.map(({ title }) => title).join(', ')}`);
  console.log(`values of charts that are YAML: ${reasonsIn(charts)}`);
  for (const [text, holds] of checks) console.log(`${holds ? '✔' : '✖'} ${text}`);
  return checks.every(([, holds]) => holds) ? 0 : 1;
}

/** Why fields are YAML, the most frequent reason first. */
function reasonsIn(all: readonly Row[]): string {
  const byReason = Map.groupBy(
    all.flatMap(({ ours }) => ours.yamlReasons),
    (reason) => reason,
  );
  const counts = [...byReason].map(([reason, some]) => [reason, some.length] as const);
  return counts
    .toSorted((a, b) => b[1] - a[1])
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ');
}

/** A large kind opens as fast as a small one. */
function compareSizes(all: readonly Opened[]): number {
  console.log('\nopening a kind, once its form was made');
  for (const one of all) {
    const pages = `first page ${ms(one.firstMs)} ms, ${kib(one.firstBytes)} KB; search ${ms(one.searchMs)} ms, ${kib(one.searchBytes)} KB`;
    console.log(`${String(one.leaves).padStart(6)} leaves: ${pages}; made in ${ms(one.makeMs)} ms`);
  }
  const holds = all.every((one) => Math.max(one.firstMs, one.searchMs) < TARGETS.pageMs && one.firstBytes < TARGETS.pageBytes);
  console.log(`${holds ? '✔' : '✖'} each below ${TARGETS.pageMs} ms and ${TARGETS.pageBytes / 1024} KB`);
  return holds ? 0 : 1;
}

async function reportTurns(): Promise<number> {
  const { workMs, wallMs } = await measureTurns();
  const holds = workMs < TARGETS.turnMs;
  const text = `longest turn of the event loop while 20 people open the heaviest forms: ${ms(workMs)} ms of work (below ${TARGETS.turnMs} ms)`;
  console.log(`${holds ? '✔' : '✖'} ${text}, ${ms(wallMs)} ms by the clock`);
  return holds ? 0 : 1;
}

function percent(share: number): string {
  return (share * 100).toFixed(1);
}

function ms(time: number): string {
  return time.toFixed(1);
}

function kib(bytes: number): string {
  return (bytes / 1024).toFixed(0);
}
