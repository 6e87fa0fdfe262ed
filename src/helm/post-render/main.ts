/**
 * The post-renderer that helm starts (see `post-renderer.ts`): objects on standard input, what is to be sent on standard output. Its arguments are the
 * mode, the file for the reason of a failure, which Helm does not tell: an error code, then the sentence; and the file with the rules. It imports pure code only, and ends by
 * itself when helm or we are gone: reading stops at the end of input, writing to nobody is an error, and a clock runs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { isAppError, messageOf } from '../../domain/core/errors.ts';
import { RENDERED_BOUNDS } from '../../domain/kubernetes/manifest.ts';
import { parseRules, transform } from './transform.ts';

const LIFETIME_MS = 120_000;

setTimeout(() => process.exit(1), LIFETIME_MS).unref();
process.stdout.on('error', () => process.exit(1));

try {
  const mode = process.argv[2] === 'reveal' ? 'reveal' : 'uplift';
  const rulesFile = process.argv[4] ?? '';
  const rules = rulesFile === '' ? {} : parseRules(readFileSync(rulesFile, 'utf8'));
  process.stdout.write(transform(await readInput(), { mode, ...rules }));
} catch (error) {
  const [code, reason, report] = [
    isAppError(error, 'UpliftFailed', 'ResourceNotAllowed') ? error.code : 'HelmFailed',
    messageOf(error),
    process.argv[3],
  ];
  if (report !== undefined) writeFileSync(report, `${code}\n${reason}\n`, { mode: 0o600 });
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}

/** Reads no further than one release may be long; what is cut off is beyond the bound, and rejected. */
async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > RENDERED_BOUNDS.bytes) throw new Error(`the chart renders more than ${RENDERED_BOUNDS.bytes / 1024 / 1024} MiB of objects`);
  }
  return Buffer.concat(chunks).toString('utf8');
}
