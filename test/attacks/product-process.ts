import { watchLoop } from '../../bench/loop-probe.ts';
import { startChandlery } from '../../src/compose.ts';
import { parseConfig } from '../../src/config.ts';
import { messageOf } from '../../src/domain/core/errors.ts';
import { createLog } from '../../src/observe/log.ts';
import { repoRoot } from '../support/cluster.ts';

// The product in a process of its own, so that what is measured of its event loop is its own work. Its arguments are the state folder and
// options of the command line. To each message it answers with what has been measured since the one before.

const [stateDir = '', ...options] = process.argv.slice(2);
const log = createLog({ level: 'error', format: 'lines', write: (text) => process.stderr.write(text) });

try {
  const config = parseConfig(['--port', '0', '--state', stateDir, ...options], {});
  const chandlery = await startChandlery({ config, repoRoot, stateDir, log, durability: 'throwaway' });
  let stop = watchLoop();
  process.on('message', () => {
    const longest = stop();
    stop = watchLoop();
    process.send?.({ ...longest, rssBytes: process.memoryUsage.rss() });
  });
  const end = (): void => void chandlery.stop().then(() => process.exit(0));
  for (const event of ['SIGTERM', 'disconnect'] as const) process.once(event, end);
  process.send?.({ origin: chandlery.url.origin });
} catch (error) {
  process.send?.({ failure: messageOf(error) });
  process.exitCode = 1;
}
