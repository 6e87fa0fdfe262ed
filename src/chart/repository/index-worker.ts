/** The thread of `index-in-worker.ts`: parses the index of one repository into a file and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../../domain/core/errors.ts';
import { openIndexFile } from './index-file.ts';
import { IndexWriter } from './index-format.ts';
import type { IndexCounts } from './index-format.ts';
import type { IndexPaths } from './index-in-worker.ts';
import { parseIndex } from './parse-index.ts';
import type { WorkerAnswer } from '../run-worker.ts';

parentPort?.postMessage(answerTo(workerData as IndexPaths));

function answerTo({ from, to }: IndexPaths): WorkerAnswer<IndexCounts> {
  try {
    const writer = new IndexWriter(to);
    return { result: writer.end(parseIndex(openIndexFile(from), writer)) };
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, message: error.message };
    throw error;
  }
}
