import { messageOf } from '../../src/domain/core/errors.ts';
import { sharedCluster } from './cluster.ts';
import { sharedProduct } from './shared-product.ts';

// What the files of one run of the tests share, in a process of its own: `cluster` is a control plane, `product` the whole product. When it is ready it
// sends the environment by which a test finds it, and it stops on request, or when the run has ended.

interface World {
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

async function startWorld(name: string): Promise<World> {
  if (name === 'cluster') {
    const { stateDir, stop } = await sharedCluster();
    return { environment: { CHANDLERY_TEST_STATE: stateDir }, stop };
  }
  const { folder, stop } = await sharedProduct();
  return { environment: { CHANDLERY_TEST_PRODUCT: folder }, stop };
}

try {
  const world = await startWorld(process.argv[2] ?? '');
  const end = (): void => void world.stop().then(() => process.exit(0));
  for (const event of ['SIGTERM', 'disconnect'] as const) process.once(event, end);
  process.send?.({ environment: world.environment });
} catch (error) {
  process.send?.({ failure: messageOf(error) });
  process.exitCode = 1;
}
