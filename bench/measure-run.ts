import type { CallCounts } from './counted-cluster.ts';
import type { CountedHelm, HelmRuns } from './counted-helm.ts';
import type { ChartServer } from './chart-server.ts';

/** What is counted while something runs. */
export interface Counters {
  readonly calls: CallCounts;
  readonly helm: CountedHelm;
  readonly server: Pick<ChartServer, 'requests'>;
}

export interface Measured<T> {
  readonly title: string;
  readonly result: T;
  readonly seconds: number;
  /** Of this process, helm left out. */
  readonly cpuSeconds: number;
  readonly helm: HelmRuns;
  readonly calls: ReturnType<CallCounts['take']>;
  readonly requests: ReturnType<ChartServer['requests']>;
  /** Resident memory of this process at the end. */
  readonly mebibytes: number;
}

/** Runs the task and tells what it took. */
export async function measure<T>(title: string, { calls, helm, server }: Counters, task: () => Promise<T>): Promise<Measured<T>> {
  calls.take();
  server.requests();
  await helm.runs();
  const began = performance.now();
  const before = process.cpuUsage();
  const result = await task();
  const { user, system } = process.cpuUsage(before);
  return {
    title,
    result,
    seconds: (performance.now() - began) / 1_000,
    cpuSeconds: (user + system) / 1e6,
    helm: await helm.runs(),
    calls: calls.take(),
    requests: server.requests(),
    mebibytes: process.memoryUsage.rss() / 1024 / 1024,
  };
}

export function printTable(all: readonly Measured<unknown>[]): void {
  const head = ['', 'helm', 'CPU s', 'wall s', 'api calls', 'chart requests', 'of them unchanged', 'RSS MiB'];
  const rows = all.map((run) => [
    run.title,
    String(run.helm.count),
    run.cpuSeconds.toFixed(2),
    run.seconds.toFixed(1),
    String(run.calls.reduce((sum, [, count]) => sum + count, 0)),
    String(run.requests.whole + run.requests.unchanged),
    String(run.requests.unchanged),
    run.mebibytes.toFixed(0),
  ]);
  printRows([head, ...rows]);
  console.log('');
  for (const { title, calls } of all) {
    const kinds = calls.slice(0, 8).map(([what, count]) => `${count} ${what}`);
    console.log(`calls, ${title}: ${kinds.length === 0 ? 'none' : kinds.join(', ')}`);
  }
}

/** The first column to the left, all others to the right. */
export function printRows(table: readonly (readonly string[])[]): void {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  for (const row of table) {
    console.log(row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '));
  }
}
