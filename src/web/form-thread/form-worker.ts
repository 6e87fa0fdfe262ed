import { parentPort } from 'node:worker_threads';
import '../../domain/core/exact-json.ts';
import { isAppError } from '../../domain/core/errors.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import type { ThreadAnswer, ThreadQuestion } from './form-thread.ts';
import { FORM_JOBS, type FormJob } from './jobs.ts';
import { pack, unpack } from './parcel.ts';

// Does one job after the other, and keeps the models that it was given.

const models = new Map<number, FormModel>();

parentPort?.on('message', (question: ThreadQuestion) => parentPort?.postMessage(answerTo(question)));

function answerTo({ job, args, model, forget }: ThreadQuestion): ThreadAnswer {
  if (forget !== undefined) models.delete(forget);
  if (model !== undefined) models.set(model.name, model.model);
  try {
    const work = FORM_JOBS[job as FormJob] as (...input: unknown[]) => unknown;
    return { result: pack(work(...(unpack(args, modelOf) as unknown[]))) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code, message, faults } = error;
    return { refusal: { code, message, faults } };
  }
}

function modelOf(name: number): FormModel {
  const model = models.get(name);
  if (model === undefined) throw new Error(`form thread: it has no model ${name}`);
  return model;
}
