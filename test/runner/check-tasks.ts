import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Task } from './lanes.ts';
import type { RunResult } from './run-result.ts';

/** `npm run check`, as tasks of a run: types, lint with the floors, format. */
export function checkTasks(result: RunResult): readonly Task[] {
  return ['types', 'lint', 'format'].map((name) => ({
    name: `check ${name}`,
    alone: false,
    ready: Promise.resolve(),
    run: async () => await runProgram(result, { name: `check ${name}`, args: ['bin/check.mjs', name] }),
  }));
}

/** Runs a program of the project, which is one test: it passes with the exit code 0. */
export async function runProgram(
  result: RunResult,
  { name, args }: { readonly name: string; readonly args: readonly string[] },
): Promise<void> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  const failures = status === 0 ? [] : [`✖ ${name}\n${output}${errors}`];
  const counts = { passed: status === 0 ? 1 : 0, failed: failures.length, skipped: 0 };
  const wall = (performance.now() - began) / 1_000;
  result.add({ path: name, counts, failures, wall, cpu: 0, skipped: [], waits: [], tests: [] });
}
