/** The thread of `form-thread.ts`: does one job after the other, and keeps the models that it was given. */
import '../../domain/core/exact-json.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { serveJobs } from '../../thread/serve-jobs.ts';
import { FORM_JOBS, type FormJob } from './jobs.ts';
import { pack, type Parcel, unpack } from './parcel.ts';

/** A job for the thread, with a model that it does not have yet, and one that it will not need again. */
export interface FormThreadRequest {
  readonly job: string;
  readonly args: Parcel;
  readonly model?: { readonly name: number; readonly model: FormModel };
  readonly forget?: number;
}

const models = new Map<number, FormModel>();

export const THREAD_JOBS = { work };

serveJobs(THREAD_JOBS);

function work({ job, args, model, forget }: FormThreadRequest): Parcel {
  if (forget !== undefined) models.delete(forget);
  if (model !== undefined) models.set(model.name, model.model);
  const done = FORM_JOBS[job as FormJob] as (...input: unknown[]) => unknown;
  return pack(done(...(unpack(args, modelOf) as unknown[])));
}

function modelOf(name: number): FormModel {
  const model = models.get(name);
  if (model === undefined) throw new Error(`form thread: it has no model ${name}`);
  return model;
}
