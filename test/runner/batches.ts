import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import type { TestFile, World } from './test-files.ts';

/** Files that run one after another in one process, so that it loads what they share once. */
export interface Batch {
  readonly files: readonly TestFile[];
  readonly world?: World;
  /** Whether nothing else of its world may run meanwhile. */
  readonly alone: boolean;
  /** CPU seconds that it is expected to take. */
  readonly seconds: number;
}

/** CPU seconds of each file when it ran last, as `npm test -- --record` wrote them down. */
const RECORDED = join(import.meta.dirname, 'recorded-seconds.json');
/** Loading what tests of a cluster need takes one to two CPU seconds; longer batches would leave cores idle at the end. */
const BATCH_SECONDS = 24;
const UNKNOWN_SECONDS = 4;

export function readRecordedSeconds(): Readonly<Record<string, number>> {
  return JSON.parse(readFileSync(RECORDED, 'utf8')) as Record<string, number>;
}

/** Writes down what files took; those that did not run keep what they had, those that are gone lose it. */
export function recordSeconds(measured: Readonly<Record<string, number>>, existing: readonly string[]): void {
  const all = { ...readRecordedSeconds(), ...measured };
  const kept = Object.entries(all).filter(([file]) => existing.includes(file));
  const rounded = kept.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([file, seconds]) => [file, Math.round(seconds * 10) / 10]);
  writeFileSync(RECORDED, `${stringifyJson(Object.fromEntries(rounded), 2)}\n`);
}

/** Packs files into batches, of one folder and world each, the longest batch first. */
export function packBatches(files: readonly TestFile[], recorded: Readonly<Record<string, number>>): readonly Batch[] {
  const secondsOf = ({ path }: TestFile): number => recorded[path] ?? UNKNOWN_SECONDS;
  const groups = Object.values(
    Object.groupBy(files, (file) => `${file.alone === undefined ? '' : file.path} ${file.world ?? ''} ${folderOf(file)}`),
  );
  const batches = groups.flatMap((group = []) => {
    const open: TestFile[][] = [];
    for (const file of group.toSorted((one, other) => secondsOf(other) - secondsOf(one))) {
      const room = open.find((own) => sumOf(own, secondsOf) + secondsOf(file) <= BATCH_SECONDS);
      if (room === undefined) open.push([file]);
      else room.push(file);
    }
    return open;
  });
  return batches.map((own) => batchOf(own, secondsOf)).toSorted((one, other) => other.seconds - one.seconds);
}

function batchOf(files: readonly TestFile[], secondsOf: (file: TestFile) => number): Batch {
  const world = files[0]?.world;
  return {
    files,
    ...(world === undefined ? {} : { world }),
    alone: files.some(({ alone }) => alone !== undefined),
    seconds: sumOf(files, secondsOf),
  };
}

/** `test/cluster`, and of units also the layer. */
function folderOf({ path }: TestFile): string {
  return path
    .split('/')
    .slice(0, path.startsWith('test/unit/') ? 3 : 2)
    .join('/');
}

function sumOf(files: readonly TestFile[], secondsOf: (file: TestFile) => number): number {
  return files.reduce((sum, file) => sum + secondsOf(file), 0);
}
