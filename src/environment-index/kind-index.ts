import { AppError, isAppError } from '../domain/core/errors.ts';
import type { KubeObject, ResourceType } from '../domain/kubernetes/resource.ts';

/** One kind in one namespace, and what of its objects is held. */
export interface IndexedKind {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly content: 'whole' | 'metadata';
}

/** A copy of the objects of a kind in a namespace, kept by list and watch. */
export interface ObjectCopy {
  /** By name; the same array until something changes. */
  all(): readonly KubeObject[];
  get(key: string): KubeObject | undefined;
  /** Whether everything has been listed, and the kind is still served. */
  synced(): boolean;
  /** @throws the reason of the signal when it aborts before. */
  waitForSync(signal: AbortSignal): Promise<void>;
  onChange(listener: (key: string) => void): () => void;
}

export interface CopyOptions {
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Whether an error of list or watch ends it. */
  readonly endsWith: (error: unknown) => boolean;
}

/** Starts a copy as the observing account. */
export type StartCopy = (kind: IndexedKind, options: CopyOptions) => ObjectCopy;

interface KindIndexInput {
  readonly kind: IndexedKind;
  readonly startCopy: StartCopy;
  /** Milliseconds on a clock that only goes forward. */
  readonly now: () => number;
  /** Is called once, when it answers no more. */
  readonly ended: () => void;
}

/** How long a caller waits until its own write is seen; the watch is that late only when the api-server is busy. */
const WRITE_MS = 2_000;

/** The objects of one kind in one namespace, shared by all who may list them. */
export class KindIndex {
  readonly kind: IndexedKind;
  readonly #over = new AbortController();
  readonly #failed = Promise.withResolvers<never>();
  readonly #listeners = new Set<() => void>();
  readonly #copy: ObjectCopy;
  readonly #now: () => number;
  readonly #ended: () => void;
  #readAt: number;

  constructor({ kind, startCopy, now, ended }: KindIndexInput) {
    this.kind = kind;
    this.#now = now;
    this.#ended = ended;
    this.#readAt = now();
    this.#failed.promise.catch(() => undefined);
    this.#copy = startCopy(kind, { signal: this.#over.signal, endsWith: (error) => this.#endsWith(error) });
    this.#copy.onChange(() => {
      if (this.#copy.synced()) for (const listener of this.#listeners) listener();
    });
  }

  /** Milliseconds since it was read last. */
  idle(): number {
    return this.#listeners.size > 0 ? 0 : this.#now() - this.#readAt;
  }

  isSynced(): boolean {
    return this.#copy.synced();
  }

  /** By name; the same array until something changes. @throws what the first list throws, or the reason of the signal. */
  async items(signal: AbortSignal = this.#over.signal): Promise<readonly KubeObject[]> {
    this.#readAt = this.#now();
    if (!this.#copy.synced()) await Promise.race([this.#copy.waitForSync(signal), this.#failed.promise]);
    return this.#copy.all();
  }

  get(name: string): KubeObject | undefined {
    this.#readAt = this.#now();
    return this.#copy.get(`${this.kind.namespace}/${name}`);
  }

  /** Calls back after each change until the signal aborts. */
  listen(listener: () => void, signal: AbortSignal): void {
    if (signal.aborted || this.#listeners.has(listener)) return;
    this.#listeners.add(listener);
    signal.addEventListener('abort', () => this.#listeners.delete(listener), { once: true });
  }

  /** Resolves when it holds this version of an object or a later one (`version` undefined: when the object is gone or being deleted), or after two seconds. */
  async awaitObject(name: string, version: string | undefined): Promise<void> {
    const isSeen = (): boolean => this.#over.signal.aborted || !this.#copy.synced() || this.#has(name, version);
    if (isSeen()) return;
    const seen = Promise.withResolvers<void>();
    const stop = this.#copy.onChange(() => isSeen() && seen.resolve());
    const late = AbortSignal.any([AbortSignal.timeout(WRITE_MS), this.#over.signal]);
    late.addEventListener('abort', () => seen.resolve(), { once: true });
    await seen.promise;
    stop();
  }

  end(): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#failed.reject(new AppError('ClusterUnavailable', `watch ${this.kind.type.resource}: the index has ended`));
    this.#ended();
    for (const listener of this.#listeners) listener();
  }

  #has(name: string, version: string | undefined): boolean {
    const held = this.#copy.get(`${this.kind.namespace}/${name}`)?.metadata;
    if (version === undefined) return held === undefined || held.deletionTimestamp !== undefined;
    return isAtLeastVersion(held?.resourceVersion, version);
  }

  /** What has never been listed is not tried again by itself: the caller gets the error. */
  #endsWith(error: unknown): boolean {
    const isOver = !this.#copy.synced() || isAppError(error, 'Forbidden', 'NotFound', 'MethodNotAllowed');
    if (!isOver) return false;
    this.#failed.reject(error);
    this.end();
    return true;
  }
}

/** Whether a resource version is this one or a later one: the api-server counts them up (KEP-5504). */
function isAtLeastVersion(version = '', wanted: string): boolean {
  return version.length === wanted.length ? version >= wanted : version.length > wanted.length;
}
