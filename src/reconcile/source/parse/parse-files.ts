import { Worker } from 'node:worker_threads';
import { nextTurn } from '../../../domain/core/next-turn.ts';
import type { SourceFile } from '../read-folder.ts';
import { located, parsePlainFile, type ParsedFile, type PlainFile } from './parse-file.ts';

/** Larger ones take longer to parse than others should wait. */
const LARGE_CHARACTERS = 8 * 1024;
const MEMORY_MIB = 256;
const TIMEOUT_MS = 10_000;

/** Reads the documents of files, large ones in a thread that is ended when one takes too long; others are served between two files. */
export async function parseFiles(files: readonly SourceFile[]): Promise<ParsedFile[]> {
  const thread = new ParseThread();
  const parsed: ParsedFile[] = [];
  try {
    for (const file of files) {
      await nextTurn();
      parsed.push(located(file.text.length > LARGE_CHARACTERS ? await thread.parse(file) : parsePlainFile(file)));
    }
    return parsed;
  } finally {
    await thread.end();
  }
}

/** A thread that is started for the first large file, and again after one that took too long. */
class ParseThread {
  #worker: Worker | undefined;

  async parse(file: SourceFile): Promise<PlainFile> {
    const worker = (this.#worker ??= start());
    const { promise, resolve } = Promise.withResolvers<PlainFile | undefined>();
    const giveUp = (): void => resolve(undefined);
    const timer = setTimeout(giveUp, TIMEOUT_MS);
    worker.once('message', resolve).once('error', giveUp).once('exit', giveUp);
    worker.postMessage(file);
    const answer = await promise;
    clearTimeout(timer);
    worker.off('message', resolve).off('exit', giveUp);
    if (answer !== undefined) return answer;
    await this.end();
    const message = `it takes more than ${TIMEOUT_MS / 1000} s to read, or too much memory; split the file`;
    return { documents: [], faults: [{ file: file.file, line: 0, column: 0, message }] };
  }

  async end(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }
}

function start(): Worker {
  const worker = new Worker(new URL('parse-files-worker.ts', import.meta.url), {
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB, maxYoungGenerationSizeMb: 16 },
  });
  // Whoever waits is told as well.
  worker.on('error', () => undefined);
  return worker;
}
