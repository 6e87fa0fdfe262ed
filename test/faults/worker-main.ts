import { createInterface } from 'node:readline';
import { startInstanceWorld } from '../support/instance-world.ts';
import { startOperatorWorld, type OperatorWorldOptions } from '../support/operator-world.ts';
import { startSourceWorld } from '../support/source-world.ts';
import { announcing, announcingCluster, announcingHelm, type Step } from './steps.ts';

/** What the one argument holds, as JSON. */
export interface WorkerInput extends Pick<
  OperatorWorldOptions,
  'kubeconfigPath' | 'helm' | 'namespaces' | 'chartsDir' | 'mirrors' | 'cacheDir' | 'chartLimits'
> {
  /** It reconciles CatalogSources rather than Operators, with their repositories in this folder. */
  readonly checkouts?: string;
  /** It reconciles Environments and instances of charts rather than Operators, those of the namespace. */
  readonly instances?: string;
}

// A process of its own that reconciles Operators, instances of charts, or CatalogSources, until it is killed. It writes `at work`, then `step <name>` for each step of an act; after a
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
const log = (text: string): void => void process.stderr.write(text);
const { kubeconfigPath, checkouts, instances } = input;
if (instances !== undefined) {
  const { helm, chartsDir = '' } = input;
  await startInstanceWorld({ kubeconfigPath, tools: { helm } }, instances, {
    chartsDir,
    log,
    wrap: ({ kube, helm: program }) => ({
      kube: { ...kube, asController: () => announcingCluster(kube.asController(), announce) },
      helm: { ...program, asServiceAccount: (account) => announcingHelm(program.asServiceAccount(account), announce) },
    }),
  });
} else if (checkouts === undefined) await startOperatorWorld({ ...input, log, wrap: (ports) => announcing(ports, announce) });
else await startSourceWorld({ kubeconfigPath, checkouts, log });
process.stdout.write('at work\n');
