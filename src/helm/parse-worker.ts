/** The thread of `parse-in-worker.ts`: parses one rendered stream after the other, each a document at a time. */
import { parentPort } from 'node:worker_threads';
import { AppError } from '../domain/errors.ts';
import { parseRendered } from '../domain/manifest.ts';
import type { ParseAnswer } from './parse-in-worker.ts';

parentPort?.on('message', (text) => parentPort?.postMessage(answerTo(String(text))));

function answerTo(text: string): ParseAnswer {
  try {
    return { objects: parseRendered(text) };
  } catch (error) {
    if (error instanceof AppError) return { fault: error.message };
    throw error;
  }
}
