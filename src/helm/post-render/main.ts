/**
 * The post-renderer that helm starts (see `home.ts`): objects on standard input, what is to be sent on standard output. It imports pure
 * code only, and ends by itself when helm or we are gone: reading stops at the end of input, writing to nobody is an error, and a clock runs.
 */
import { text } from 'node:stream/consumers';
import { transform } from './transform.ts';

const LIFETIME_MS = 120_000;

setTimeout(() => process.exit(1), LIFETIME_MS).unref();
process.stdout.on('error', () => process.exit(1));

try {
  const mode = process.argv[2] === 'reveal' ? 'reveal' : 'uplift';
  process.stdout.write(transform(await text(process.stdin), mode));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
