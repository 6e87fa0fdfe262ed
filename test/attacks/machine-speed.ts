/**
 * Milliseconds of processor time that `sampleWork` takes on the machine for which the bounds of the attacks are given: one that builds the programs of the
 * embedded cluster in five and a half minutes.
 */
const REFERENCE_MS = 27;
const ROUNDS = 31;
/** A machine that is slower than this is no measure of anything. */
const MAX_FACTOR = 2;

let factor: number | undefined;

/** How many times as long as there the same work takes here; at least 1. The most that was measured, each time as the median of many rounds. */
export function machineFactor(): number {
  return factor ?? measureMachine();
}

/** Measures it once more: a machine that others share can be slower by now than it was at first. */
export function measureMachine(): number {
  factor = Math.max(factor ?? 1, Math.min(MAX_FACTOR, medianRound() / REFERENCE_MS));
  return factor;
}

function medianRound(): number {
  const rounds = Array.from({ length: ROUNDS }, timeOfRound).sort((one, other) => one - other);
  return rounds[(ROUNDS - 1) / 2] ?? 0;
}

function timeOfRound(): number {
  const { user, system } = process.threadCpuUsage();
  sampleWork();
  const used = process.threadCpuUsage({ user, system });
  return (used.user + used.system) / 1_000;
}

/** What requests mostly cost: JSON, texts and sorting. */
function sampleWork(): number {
  const rows = Array.from({ length: 20_000 }, (_, index) => ({ name: `label-${(index * 7_919) % 20_000}`, value: 'x'.repeat(20), index }));
  const read = JSON.parse(JSON.stringify(rows)) as typeof rows;
  const sorted = read.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return new Map(sorted.map((row) => [row.name, row.value])).size;
}
