import { yieldToEventLoop } from '../domain/core/yield-to-event-loop.ts';
import { ThreadHost } from '../thread/thread-host.ts';
import { located, parsePlainFile, type ParsedFile, type PlainFile, type SourceFile } from '../domain/source/parse-file.ts';
import type { FILE_JOBS } from './parse-files-worker.ts';

/** Larger ones take longer to parse than others should wait. */
const LARGE_CHARACTERS = 8 * 1024;
const MEMORY_MIB = 256;
const TIMEOUT_MS = 10_000;

/** Reads the documents of files, large ones in a thread that is ended when one takes too long; others are served between two files. */
export async function parseFiles(files: readonly SourceFile[]): Promise<ParsedFile[]> {
  const thread = new ThreadHost<typeof FILE_JOBS>({
    file: new URL('parse-files-worker.ts', import.meta.url),
    memoryMib: MEMORY_MIB,
    youngMib: 16,
  });
  const parsed: ParsedFile[] = [];
  try {
    for (const file of files) {
      await yieldToEventLoop();
      parsed.push(located(file.text.length > LARGE_CHARACTERS ? await parseInThread(thread, file) : parsePlainFile(file)));
    }
    return parsed;
  } finally {
    await thread.end();
  }
}

async function parseInThread(thread: ThreadHost<typeof FILE_JOBS>, file: SourceFile): Promise<PlainFile> {
  const outcome = await thread.run('parsePlainFile', [file], { timeoutMs: TIMEOUT_MS });
  if (outcome.kind === 'Result') return outcome.result;
  const message = `parsing takes more than ${TIMEOUT_MS / 1000} s or too much memory; split the file`;
  return { documents: [], faults: [{ file: file.file, line: 0, column: 0, message }] };
}
