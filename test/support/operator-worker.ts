import { startOperatorWorld } from './operator-world.ts';

/** A process of its own that reconciles Operators until it is killed: `operator-worker.ts KUBECONFIG HELM CHARTS`. */
const [kubeconfigPath = '', helm = '', chartsDir = ''] = process.argv.slice(2);
await startOperatorWorld({ kubeconfigPath, helm, chartsDir });
process.stdout.write('at work\n');
