import { AppError } from '../../domain/core/errors.ts';
import { FairQueue } from '../../domain/core/fair-queue.ts';
import { yieldToEventLoop } from '../../domain/core/yield-to-event-loop.ts';
import { nodesIn } from '../../form/input/form-budget.ts';
import { MAX_ROWS, nodesAt, parseFieldName } from '../../form/input/form-fields.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { ThreadHost } from '../../thread/thread-host.ts';
import { personAnswered } from './for-person.ts';
import type { FormThreadRequest, THREAD_JOBS } from './form-worker.ts';
import { FORM_JOBS, type FormJob, type FormJobs } from './jobs.ts';
import { modelIn, modelPlace, pack, unpack } from './parcel.ts';

const TIMEOUT_MS = 10_000;
const MEMORY_MIB = 192;
/** A thread that nobody needs ends. */
const IDLE_MS = 20_000;
const MAX_MODELS = 8;
const TOO_MUCH = `form: it takes more than ${TIMEOUT_MS / 1000} s, or too much memory. Nothing was written: go back, and remove rows or long values, or use the REST API`;

/** Does one job after the other in a thread that is ended by one that takes too long. The next job starts another. */
class FormThread {
  readonly #host = new ThreadHost<typeof THREAD_JOBS>({
    file: new URL('form-worker.ts', import.meta.url),
    memoryMib: MEMORY_MIB,
    youngMib: 16,
    idleMs: IDLE_MS,
  });
  /** The models that the thread has, by their root, those that were needed last at the end. */
  readonly #models = new Map<object, number>();
  #named = 0;

  /** @throws AppError that the job throws, and `TooLarge` when the thread had to be ended. */
  async ask(job: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#host.prepare() === 'New') this.#models.clear();
    const outcome = await this.#host.run('work', [this.#questionOf(job, args)], { timeoutMs: TIMEOUT_MS });
    if (outcome.kind !== 'Result') throw new AppError('TooLarge', TOO_MUCH);
    return unpack(outcome.result, noModel);
  }

  #questionOf(job: string, args: readonly unknown[]): FormThreadRequest {
    const path = modelPlace(job);
    const model = modelIn(job, args);
    if (path === undefined || model === undefined) return { job, args: pack(args) };
    const known = this.#models.get(model.root);
    const name = known ?? (this.#named += 1);
    this.#models.delete(model.root);
    this.#models.set(model.root, name);
    const packed = { job, args: pack(args, { path, name }) };
    return known === undefined ? { ...packed, model: { name, model }, ...this.#forgetOldest() } : packed;
  }

  #forgetOldest(): { forget?: number } {
    const [oldest] = this.#models;
    if (this.#models.size <= MAX_MODELS || oldest === undefined) return {};
    this.#models.delete(oldest[0]);
    return { forget: oldest[1] };
  }
}

function noModel(): never {
  throw new Error('form thread: no job answers with a model');
}

/** Jobs of one person that wait beside the one in the thread: about as many pages as anybody opens at once. */
const MAX_PENDING = 6;

/** A page that waits for longer is of no use; the jobs before it may take ten seconds each. */
const MAX_WAIT_MS = 30_000;

const thread = new FormThread();

const queue = new FairQueue({ what: 'form', all: 1, perPerson: 1, waiting: MAX_PENDING });

/** What is done at once, in steps of about five microseconds. */
const LIGHT = 4_000;

/** Characters of YAML in a step: it is read and written several times. */
const YAML = 1;

/** Characters of digests, which are JSON. */
const DIGESTS = 50;

/** Characters of other texts. */
const TEXT = 1_000;

/** Nodes of a row that are read in a step. */
const NODES = 5;

/** Steps for each input: the path in its name is read several times. */
const INPUT = 3;
/** Steps for each member of a value: it becomes inputs, and perhaps YAML. */
const MEMBER = 2;

interface Scale {
  left: number;
  readonly model: FormModel | undefined;
  /** Characters of a plain text in a step. */
  readonly text: number;
}

/**
 * Does a job of `FORM_JOBS`: a light one at once, any other in the thread for forms, one after the other and one of each person in turn, so that the event
 * loop serves others meanwhile.
 *
 * @throws AppError that the job throws; `TooLarge` when it takes too long or too much memory, `LimitReached` when too many of the person wait, `TooBusy` when it was
 * not their turn in time.
 */
export async function runFormJob<J extends FormJob>(job: J, ...args: Parameters<FormJobs[J]>): Promise<ReturnType<FormJobs[J]>> {
  // Each job has a turn of its own, whatever was done in the one before.
  await yieldToEventLoop();
  const work = FORM_JOBS[job] as unknown as (...input: Parameters<FormJobs[J]>) => ReturnType<FormJobs[J]>;
  if (isLight(job, args)) return work(...args);
  const answer = await queue.run(personAnswered(), AbortSignal.timeout(MAX_WAIT_MS), async () => await thread.ask(job, args));
  // What came is copied in this turn; what is done with it has the next.
  await yieldToEventLoop();
  return answer as ReturnType<FormJobs[J]>;
}

/** Whether a job is light enough for the event loop. Its inputs alone decide, and no more of them is read than a light job has. */
function isLight(job: string, args: readonly unknown[]): boolean {
  const model = modelIn(job, args);
  const scale: Scale = { left: LIGHT, model, text: textScale(job) };
  return !asksForSkeleton(args) && args.every((value) => weigh(scale, value));
}

function textScale(job: string): number {
  if (job === 'readYaml' || job === 'reviewYaml') return YAML;
  return job === 'mergeChanges' ? DIGESTS : TEXT;
}

/** All fields of a schema become YAML. */
function asksForSkeleton(args: readonly unknown[]): boolean {
  return args.some((value) => typeof value === 'object' && value !== null && 'op' in value && String(value.op).startsWith('skeleton'));
}

function weigh(scale: Scale, value: unknown): boolean {
  if (typeof value === 'string') scale.left -= 1 + value.length / scale.text;
  else scale.left -= MEMBER;
  if (typeof value !== 'object' || value === null || value === scale.model) return scale.left >= 0;
  if (value instanceof URLSearchParams) return weighInputs(scale, value);
  if (value instanceof Uint8Array) {
    scale.left -= value.length / YAML;
    return scale.left >= 0;
  }
  if (value instanceof Map || value instanceof Set) return [...value.values()].every((member) => weigh(scale, member));
  for (const key in value) if (!weigh(scale, (value as Readonly<Record<string, unknown>>)[key])) return false;
  return scale.left >= 0;
}

function weighInputs(scale: Scale, fields: URLSearchParams): boolean {
  scale.left -= fields.size * INPUT;
  if (scale.left < 0) return false;
  for (const [name, text] of fields) {
    scale.left -= text.length / inputScale(name);
    if (name.startsWith('n.')) scale.left -= rowsOf(scale, name, text) / NODES;
    if (scale.left < 0) return false;
  }
  return true;
}

function inputScale(name: string): number {
  if (name.startsWith('y.') || name.startsWith('r.') || name.startsWith('c.')) return YAML;
  return name === 'rows' ? DIGESTS : TEXT;
}

/** The nodes that the rows of a list or map have at most, those of lists within them apart. */
function rowsOf({ model }: Scale, name: string, text: string): number {
  const path = parseFieldName(name)?.path;
  if (model === undefined || path === undefined) return 0;
  const rows = Math.min(MAX_ROWS, Math.max(0, Number(text) || 0));
  return nodesAt(model.root, path).reduce((most, node) => Math.max(most, rows * nodesIn(node)), 0);
}
