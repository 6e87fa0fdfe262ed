/** One fault and how it ended. */
export interface Outcome {
  /** E.g. `kill`. */
  readonly run: string;
  /** What was under way, e.g. `install`. */
  readonly act: string;
  /** When or how the fault came, e.g. `random` or `lease`. */
  readonly moment: string;
  /** From the repair of the fault until all invariants held, in seconds. */
  readonly seconds: number;
  readonly restarts: number;
  /** What was wrong in the end; none when all is well. */
  readonly faults: readonly string[];
}

export interface Tally {
  add(outcome: Outcome): void;
  /** A violation beside a single fault. */
  violate(sentence: string): void;
  /** Prints the table, and gives the exit code. */
  print(write: (line: string) => void): number;
}

export function createTally(): Tally {
  const outcomes: Outcome[] = [];
  const violations: string[] = [];
  return {
    add: (outcome) => void outcomes.push(outcome),
    violate: (sentence) => void violations.push(sentence),
    print: (write) => {
      const groups = Map.groupBy(outcomes, ({ run, act, moment }) => `${run}\t${act}\t${moment}`);
      const rows = [...groups].sort(([a], [b]) => a.localeCompare(b)).map(([key, group]) => [...key.split('\t'), ...numbersOf(group)]);
      const total = ['total', '', '', ...numbersOf(outcomes)];
      for (const line of layOut([['run', 'act', 'moment', 'faults', 'restarts', 'converged', 'violations', 'slowest'], ...rows, total]))
        write(line);
      for (const violation of violations) write(`violation: ${violation}`);
      const failed = outcomes.filter(({ faults }) => faults.length > 0).length + violations.length;
      write(`\n${outcomes.length - failed + violations.length} passed, ${failed} failed`);
      return failed === 0 && outcomes.length > 0 ? 0 : 1;
    },
  };
}

function numbersOf(outcomes: readonly Outcome[]): string[] {
  const bad = outcomes.filter(({ faults }) => faults.length > 0).length;
  const restarts = outcomes.reduce((sum, outcome) => sum + outcome.restarts, 0);
  const slowest = Math.max(0, ...outcomes.map(({ seconds }) => seconds));
  return [String(outcomes.length), String(restarts), String(outcomes.length - bad), String(bad), `${slowest.toFixed(1)} s`];
}

function layOut(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row.map((cell, column) => (column < 3 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '),
  );
}
