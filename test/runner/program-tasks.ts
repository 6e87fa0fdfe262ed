import { runProgram } from './check-tasks.ts';
import type { Task } from './lanes.ts';
import type { RunResult } from './run-result.ts';

/** What only `npm run test:all` runs and is no file of tests: each is one program, and alone, as it measures or takes all memory that it gets. */
const PROGRAMS: readonly (readonly string[])[] = [
  ['test/faults/main.ts', '--kills', '20'],
  ['test/replicas/main.ts', '--rounds', '4'],
];

export function programTasks(result: RunResult): readonly Task[] {
  return PROGRAMS.map((args) => ({
    name: args.join(' '),
    alone: true,
    ready: Promise.resolve(),
    run: async () => await runProgram(result, { name: args.join(' '), args }),
  }));
}
