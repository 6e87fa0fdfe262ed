import { startEmbeddedCluster } from '../../src/embedded/cluster/embedded-cluster.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { messageOf } from '../../src/domain/core/errors.ts';
import { createLog } from '../../src/observe/log.ts';
import { repoRoot } from './cluster.ts';

// A process of its own that starts an embedded cluster on the state folder named by its argument, for tests that kill it.
// Prints one line of JSON when the cluster is ready, or why it is not.
const log = createLog({ level: 'warn', format: 'lines', write: (text) => process.stderr.write(text) });
try {
  const stateDir = process.argv[2] ?? '';
  const cluster = await startEmbeddedCluster({ stateDir, tools: await loadTools(repoRoot), durability: 'kept', log });
  console.log(JSON.stringify({ server: cluster.server }));
  const keepAlive = setInterval(() => undefined, 60_000);
  process.once('SIGTERM', () => void cluster.stop().then(() => clearInterval(keepAlive)));
} catch (error) {
  console.log(JSON.stringify({ failure: messageOf(error) }));
}
