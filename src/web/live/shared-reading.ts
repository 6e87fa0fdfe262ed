import { stringifyJson } from '../../domain/core/exact-json.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { pause, type ReadingTurns } from './reading-turns.ts';

/** Something that a page shows and that is read again while somebody looks at it. */
export interface LiveThing<Reading = unknown> {
  /** The address with what it is narrowed by: the same for everybody who watches the same. */
  readonly key: string;
  /** Milliseconds between two readings if nothing says that something has changed. */
  readonly intervalMs: number;
  /** Makes what reads it as an actor; each series of readings has its own. */
  reader(actor: Actor, series: Series): () => Promise<Reading>;
  /** The fragment, and its status in a few words for screen readers. */
  render(reading: Reading): Fragment;
}

/** Readings of one thing by one actor, as long as somebody watches. */
export interface Series {
  /** Aborts when nobody watches any more. */
  readonly signal: AbortSignal;
  /** Asks for another reading soon. */
  readonly changed: () => void;
}

export interface Fragment {
  readonly html: string;
  readonly status: string;
}

/** Who gets the fragments of a reading. */
export interface Watcher {
  change(fragment: Fragment): void;
  /** It was deleted, or may not be read any more. */
  gone(): void;
  fail(error: unknown): void;
}

/**
 * The readings of one thing by one actor, shared by however many streams of the same user with the same groups: what an actor may read depends on both, so
 * nobody gets what was read as somebody else. It reads while there is a watcher.
 */
export class SharedReading {
  readonly #thing: LiveThing;
  readonly #read: () => Promise<unknown>;
  readonly #ended: () => void;
  readonly #over = new AbortController();
  readonly #watchers = new Set<Watcher>();
  #last: { readonly text: string; readonly fragment: Fragment } | undefined;
  #first: Promise<void> | undefined;
  #joining = 0;
  #isChanged = false;
  #nap = new AbortController();

  /** @param ended is called when nobody watches any more. */
  constructor(thing: LiveThing, actor: Actor, { turns, ended }: { readonly turns: ReadingTurns; readonly ended: () => void }) {
    const read = thing.reader(actor, { signal: this.#over.signal, changed: () => this.#wake() });
    this.#thing = thing;
    this.#read = async () =>
      await turns.take(actor.user, this.#over.signal, async () => {
        // What changes while it waits for its turn is in it.
        this.#isChanged = false;
        return await read();
      });
    this.#ended = ended;
  }

  /**
   * Adds a watcher once there is a first reading; it gets that at once.
   *
   * @returns what takes the watcher away.
   * @throws what the first reading throws.
   */
  async join(makeWatcher: () => Watcher): Promise<() => void> {
    this.#joining += 1;
    try {
      this.#first ??= this.#begin();
      await this.#first;
      const watcher = makeWatcher();
      this.#watchers.add(watcher);
      if (this.#last !== undefined) watcher.change(this.#last.fragment);
      return () => {
        this.#watchers.delete(watcher);
        this.#endWhenAlone();
      };
    } finally {
      this.#joining -= 1;
      this.#endWhenAlone();
    }
  }

  async #begin(): Promise<void> {
    this.#take(await this.#read());
    void this.#follow();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#over;
    for (;;) {
      await this.#untilDue();
      if (signal.aborted) return;
      try {
        const reading = await this.#read();
        if (!signal.aborted && this.#take(reading)) this.#tell(({ change }, { fragment }) => change(fragment));
      } catch (error) {
        // A cluster that is away for a while is asked again.
        if (isAppError(error, 'ClusterUnavailable', 'TooManyRequests')) continue;
        this.#end();
        const isGone = isAppError(error, 'NotFound', 'Forbidden', 'Unauthenticated');
        this.#tell(({ gone, fail }) => (isGone ? gone() : fail(error)));
        return;
      }
    }
  }

  /** Changes are read together: the next reading has to wait for its turn. */
  async #untilDue(): Promise<void> {
    if (this.#isChanged) return;
    this.#nap = new AbortController();
    await pause(this.#thing.intervalMs, AbortSignal.any([this.#over.signal, this.#nap.signal]));
  }

  #wake(): void {
    // Each abort costs an error with its stack, and a busy namespace changes hundreds of times a second.
    if (this.#isChanged) return;
    this.#isChanged = true;
    this.#nap.abort();
  }

  /** Whether the reading is another than the one before. */
  #take(reading: unknown): boolean {
    const text = stringifyJson(reading);
    if (text === this.#last?.text) return false;
    this.#last = { text, fragment: this.#thing.render(reading) };
    return true;
  }

  #tell(what: (watcher: Watcher, last: { readonly fragment: Fragment }) => void): void {
    const last = this.#last;
    if (last !== undefined) for (const watcher of this.#watchers) what(watcher, last);
  }

  #endWhenAlone(): void {
    if (this.#watchers.size === 0 && this.#joining === 0) this.#end();
  }

  #end(): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    this.#ended();
  }
}
