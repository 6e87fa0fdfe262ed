import { Worker } from 'node:worker_threads';
import { AppError } from '../domain/errors.ts';
import type { KubeObject } from '../domain/resource.ts';

/** What the thread answers: the objects, or a sentence about what is wrong with the text. */
export type ParseAnswer = { readonly objects: readonly KubeObject[] } | { readonly fault: string };

const MEMORY_MIB = 1024;

/**
 * The objects of what a chart rendered, parsed in a thread that is ended when it takes too long: the text is foreign, and large charts take seconds.
 *
 * @throws AppError `HelmFailed` when it cannot be read, as a clause: the caller adds what was rendered.
 */
export async function parseInWorker(text: string, timeoutMs: number): Promise<KubeObject[]> {
  const worker = new Worker(new URL('parse-worker.ts', import.meta.url), {
    workerData: text,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    const answer = await new Promise<ParseAnswer>((resolve, reject) => {
      const giveUp = (why: string) => reject(new AppError('HelmFailed', why));
      timer = setTimeout(() => giveUp(`it could not be parsed in ${timeoutMs / 1000} s`), timeoutMs);
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', (code) => giveUp(`the parser ended with ${code}`));
    });
    if ('fault' in answer) throw new AppError('HelmFailed', answer.fault);
    return [...answer.objects];
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
