import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Actor, actorKey } from '../../domain/kubernetes/actor.ts';
import { AppError } from '../../domain/core/errors.ts';
import type { Answer, PageAnswer, Visit } from './page.ts';

/** What a page says while its work goes on. */
export interface WorkWords {
  readonly title: string;
  /** What takes so long, a sentence. */
  readonly text: string;
  readonly crumbs: NonNullable<PageAnswer['crumbs']>;
  /** Default: that of Operators. */
  readonly section?: PageAnswer['section'];
}

/**
 * Work that may take longer than anybody looks at a blank page. It goes on in this process while the browser, which needs no JavaScript for it, asks
 * again every few seconds. Work is found again by the same actor alone.
 */
interface LongWork {
  /** For an address that may be asked any number of times: whoever asks while its work goes on waits for that. A result is given once. */
  join(visit: Visit, address: string, work: Job): Promise<Answer>;
  /** For a form: the result gets an address of its own below `path`, where it can be had for ten minutes. */
  begin(visit: Visit, path: string, work: Job): Promise<Answer>;
  /** What `begin` has begun. @throws AppError `NotFound` when it is not known any more. */
  find(visit: Visit, path: string, words: WorkWords): Promise<Answer>;
}

interface Job {
  readonly words: WorkWords;
  readonly run: () => Promise<Answer>;
}

interface LongWorkOptions {
  /** Milliseconds before the browser gets a page that says what goes on; default 3 s. */
  readonly patience?: number;
  /** Milliseconds on a clock that only goes forward. */
  readonly now?: () => number;
}

interface Started {
  readonly user: string;
  readonly result: Promise<Answer>;
  readonly at: number;
  isOver: boolean;
}

const PATIENCE_MS = 3_000;
const KEPT_MS = 600_000;
/** Of one person: work that goes on, and work whose result nobody has fetched yet beside it. */
const MAX_RUNNING = 3;
const MAX_FINISHED = 5;
const LOOK_AGAIN_SECONDS = 2;

export function createLongWork({ patience = PATIENCE_MS, now = () => performance.now() }: LongWorkOptions = {}): LongWork {
  const bench: Bench = { known: new Map(), patience, now };
  return {
    join: (visit, address, job) => join(bench, { visit, address, job }),
    begin: (visit, path, job) => begin(bench, { visit, address: path, job }),
    find: (visit, path, words) => find(bench, visit, { path, words }),
  };
}

interface Bench {
  readonly known: Map<string, Started>;
  readonly patience: number;
  readonly now: () => number;
}

interface Order {
  readonly visit: Visit;
  readonly address: string;
  readonly job: Job;
}

async function join(bench: Bench, { visit, address, job }: Order): Promise<Answer> {
  const key = keyOf(visit.actor, address);
  const started = bench.known.get(key) ?? start(bench, { key, user: visit.actor.user, run: job.run });
  let over = true;
  try {
    const answer = await outcome(bench, started, { address, words: job.words });
    over = !isWorking(answer);
    return answer;
  } finally {
    if (over) bench.known.delete(key);
  }
}

async function begin(bench: Bench, { visit, address, job }: Order): Promise<Answer> {
  const id = randomBytes(16).toString('hex');
  const key = keyOf(visit.actor, id);
  const started = start(bench, { key, user: visit.actor.user, run: job.run });
  const answer = await deliver(bench, key, async () => await outcome(bench, started, { address, words: job.words }));
  if (isWorking(answer)) return { redirect: `${address}?check=${id}` };
  bench.known.delete(key);
  return answer;
}

async function find(bench: Bench, visit: Visit, { path, words }: { readonly path: string; readonly words: WorkWords }): Promise<Answer> {
  const id = visit.query.get('check') ?? '';
  const key = keyOf(visit.actor, id);
  const started = bench.known.get(key);
  if (started === undefined) throw new AppError('NotFound', 'check: its result has expired; go back, and check again');
  return await deliver(bench, key, async () => await outcome(bench, started, { address: `${path}?check=${id}`, words }));
}

/** Work that failed is forgotten once that is reported. */
async function deliver(bench: Bench, key: string, answer: () => Promise<Answer>): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    bench.known.delete(key);
    throw error;
  }
}

interface Task {
  readonly key: string;
  readonly user: string;
  readonly run: Job['run'];
}

/** @throws AppError `LimitReached` when as much work of the same person goes on; what others do never matters. */
function start({ known, now }: Bench, { key, user, run }: Task): Started {
  for (const [old, { at }] of known) if (now() - at > KEPT_MS) known.delete(old);
  const own = [...known].filter(([, work]) => work.user === user);
  const over = own.filter(([, { isOver }]) => isOver);
  if (own.length - over.length >= MAX_RUNNING) {
    throw new AppError('LimitReached', `check: ${MAX_RUNNING} of yours are running; wait for one of them`);
  }
  for (const [old] of over.slice(0, Math.max(0, over.length + 1 - MAX_FINISHED))) known.delete(old);
  const started: Started = { user, result: run(), at: now(), isOver: false };
  const end = (): void => void (started.isOver = true);
  // Whoever waits gets the result; nobody may be waiting.
  started.result.then(end, end);
  known.set(key, started);
  return started;
}

async function outcome(
  { patience, now }: Bench,
  { result, at }: Started,
  { address, words }: { readonly address: string; readonly words: WorkWords },
): Promise<Answer> {
  const first = await Promise.race([result, sleep(patience, undefined, { ref: false })]);
  return first ?? working(words, { address, seconds: Math.round((now() - at) / 1000) });
}

function keyOf(actor: Actor, what: string): string {
  return createHash('sha256')
    .update(JSON.stringify([actorKey(actor), what]))
    .digest('hex');
}

function working(
  { title, text, crumbs, section = 'operators' }: WorkWords,
  { address, seconds }: { readonly address: string; readonly seconds: number },
): PageAnswer {
  return {
    view: 'working',
    title,
    section,
    crumbs,
    model: { doing: text, seconds, address },
    refresh: { seconds: LOOK_AGAIN_SECONDS, address },
  };
}

function isWorking(answer: Answer): boolean {
  return 'view' in answer && answer.view === 'working';
}
