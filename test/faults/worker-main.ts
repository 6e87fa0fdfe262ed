import { createInterface } from 'node:readline';
import { startOperatorWorld, type OperatorWorldOptions } from '../support/operator-world.ts';
import { announcing, type Step } from './steps.ts';

/** What the one argument holds, as JSON. */
export type WorkerInput = Pick<
  OperatorWorldOptions,
  'kubeconfigPath' | 'helm' | 'namespaces' | 'chartsDir' | 'mirrors' | 'cacheDir' | 'chartLimits'
>;

// A process of its own that reconciles Operators until it is killed. It writes `at work`, then `step <name>` for each step of an act; after a
// line `halt <name>` on its standard input it stands still at that step for good. Its log goes to standard error.
const input = JSON.parse(process.argv[2] ?? '{}') as WorkerInput;
let halt = '';
const announce = async (step: Step): Promise<void> => {
  process.stdout.write(`step ${step}\n`);
  if (step === halt) await new Promise(() => undefined);
};
const commands = createInterface({ input: process.stdin });
commands.on('line', (line) => {
  halt = line.replace(/^halt /, '');
});
// Whoever started it is gone.
commands.on('close', () => process.exit(1));
await startOperatorWorld({
  ...input,
  log: (text) => void process.stderr.write(text),
  wrap: (ports) => announcing(ports, announce),
});
process.stdout.write('at work\n');
