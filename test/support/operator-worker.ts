import { startOperatorWorld } from './operator-world.ts';

/** A process of its own that reconciles Operators until it is killed: `operator-worker.ts KUBECONFIG HELM CHARTS NAMESPACES`. */
const [kubeconfigPath = '', helm = '', chartsDir = '', namespaces = ''] = process.argv.slice(2);
await startOperatorWorld({ kubeconfigPath, helm, chartsDir, namespaces });
process.stdout.write('at work\n');
