import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, isAppError, type ErrorCode } from '../domain/core/errors.ts';
import { redact } from '../domain/core/secret.ts';
import { type HelmHome, PLAIN_POST_RENDERER, POST_RENDERER } from './home.ts';
import { rulesText, type TransformRules } from './post-render/transform.ts';

/**
 * What becomes of the objects between Helm's templates and Helm: `uplift` takes CustomResourceDefinitions out, carries legacy APIs over and rewrites images, `reveal` shows
 * the hooks that Helm drops; both take a Node. `plain` changes nothing and fails when there is a CustomResourceDefinition after all, `pass` lets all of
 * them through; these take a few milliseconds. In every mode Helm parses the objects and writes them anew first.
 */
export type PostRender = 'uplift' | 'reveal' | 'plain' | 'pass';

export interface PostRenderedRun<T> {
  readonly mode: PostRender;
  /** For `uplift`. Default: none. */
  readonly rules?: TransformRules;
  /** What it is about, for the error. */
  readonly what: string;
  readonly secrets: readonly string[];
  /** Runs helm with more options. */
  readonly run: (options: readonly string[]) => Promise<T>;
}

/** Codes that a post-renderer may fail with. */
const CODES: readonly ErrorCode[] = ['HelmFailed', 'UpliftFailed', 'ResourceNotAllowed'];

/**
 * Runs helm with a post-renderer. Helm drops what its plugins say when they fail, so ours write it to a file, and the error says it.
 *
 * @throws what the run throws; AppError `HelmFailed`, `UpliftFailed` or `ResourceNotAllowed` with what the post-renderer says.
 */
export async function postRendered<T>(home: HelmHome, { mode, rules, what, secrets, run }: PostRenderedRun<T>): Promise<T> {
  const report = join(home.dir, 'tmp', `${randomUUID()}.report`);
  const rulesFile = join(home.dir, 'tmp', `${randomUUID()}.rules`);
  const plugin = mode === 'plain' || mode === 'pass' ? PLAIN_POST_RENDERER : POST_RENDERER;
  const args = [mode, report, ...(rules === undefined ? [] : [rulesFile])];
  try {
    if (rules !== undefined) await writeFile(rulesFile, rulesText(rules), { mode: 0o600, flag: 'wx' });
    return await run(['--post-renderer', plugin, ...args.flatMap((arg) => ['--post-renderer-args', arg])]);
  } catch (error) {
    if (!isAppError(error, 'HelmFailed')) throw error;
    const [first = '', ...reason] = (await readFile(report, 'utf8').catch(() => '')).split('\n');
    const code = CODES.find((known) => known === first);
    if (code === undefined) throw error;
    throw new AppError(code, `helm ${what}: ${redact(reason.join('\n').trim(), secrets)}`, { cause: error });
  } finally {
    await Promise.all([report, rulesFile].map((file) => rm(file, { force: true })));
  }
}
