/** The thread of `parse-in-worker.ts`: parses one rendered stream after the other, and gives its objects in parts that are quickly copied. */
import { parentPort } from 'node:worker_threads';
import { AppError } from '../domain/core/errors.ts';
import { parseRendered } from '../domain/kubernetes/manifest.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import type { ParseAnswer, ParseRequest } from './parse-in-worker.ts';

const PART = 50;

let left: readonly KubeObject[] = [];

parentPort?.on('message', (request: ParseRequest) => parentPort?.postMessage(answerTo(request)));

function answerTo(request: ParseRequest): ParseAnswer {
  try {
    if ('text' in request) left = parseRendered(request.text);
    const objects = left.slice(0, PART);
    left = left.slice(PART);
    return { objects, more: left.length > 0 };
  } catch (error) {
    if (error instanceof AppError) return { fault: error.message };
    throw error;
  }
}
