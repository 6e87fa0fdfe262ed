import { join } from 'node:path';
import { messageOf } from '../../src/domain/core/errors.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import { repoRoot, sharedCluster } from '../support/cluster.ts';
import { openKube } from '../support/open-kube.ts';
import { sharedProduct } from '../support/shared-product.ts';
import { cpuSeconds } from './cpu-seconds.ts';

// What the files of one run of the tests share, in a process of its own: `cluster` is a control plane, `product` the whole product. When it is ready it
// sends the environment by which a test finds it. It stops on request, or when the run has ended, and sends the CPU seconds that it took.

const INSTALL_MS = 120_000;

interface RunningWorld {
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

async function startWorld(name: string): Promise<RunningWorld> {
  if (name === 'cluster') {
    const { stateDir, kubeconfigPath, stop } = await sharedCluster();
    await installChandlery(kubeconfigPath);
    return { environment: { CHANDLERY_TEST_STATE: stateDir }, stop };
  }
  const { folder, stop } = await sharedProduct();
  return { environment: { CHANDLERY_TEST_PRODUCT: folder }, stop };
}

/** Every cluster with Chandlery has its CRDs, roles and admission policies, so that no file of tests brings them to others while these run. */
async function installChandlery(kubeconfigPath: string): Promise<void> {
  const kube = openKube(kubeconfigPath);
  const chart = join(repoRoot, 'charts', 'chandlery');
  const [roles, policies] = ['cluster-roles.yaml', 'admission-policies.yaml'].map((file) => join(chart, 'files', file)) as [string, string];
  await bootstrapCluster(kube, { crds: join(chart, 'crds'), roles, policies }, AbortSignal.timeout(INSTALL_MS));
  await kube.close();
}

try {
  const world = await startWorld(process.argv[2] ?? '');
  const end = async (): Promise<void> => {
    await world.stop();
    if (process.connected) process.send?.({ cpu: cpuSeconds() }, () => process.exit(0));
    else process.exit(0);
  };
  for (const event of ['SIGTERM', 'disconnect'] as const) process.once(event, () => void end());
  process.send?.({ environment: world.environment });
} catch (error) {
  process.send?.({ failure: messageOf(error) });
  process.exitCode = 1;
}
