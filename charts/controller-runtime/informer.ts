import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from './api-error.ts';
import type { Api, WatchEvent } from './api.ts';
import { keyOf } from './kube-object.ts';
import type { LiveObject, Resource } from './kube-object.ts';
import { errorText } from './log.ts';
import type { Log } from './log.ts';

export interface InformerOptions {
  readonly api: Pick<Api, 'list' | 'watch'>;
  readonly resource: Resource;
  readonly labelSelector: string;
  /** Called for every object that appeared, changed or vanished. Must not throw and must not do work: it puts a key into a queue. */
  readonly onChange: (object: LiveObject) => void;
  readonly log: Log;
}

const LONGEST_PAUSE = 30_000;

/** A kind kept in memory: listed, then watched, and listed again whenever the watch cannot go on. */
export class Informer {
  readonly #options: InformerOptions;
  readonly #known = new Map<string, LiveObject>();
  readonly #synced = Promise.withResolvers<void>();
  #failures = 0;

  constructor(options: InformerOptions) {
    this.#options = options;
  }

  get(key: string): LiveObject | undefined {
    return this.#known.get(key);
  }

  all(): readonly LiveObject[] {
    return [...this.#known.values()];
  }

  /** Resolves after the first complete list. */
  synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Ends when the signal aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#follow(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#failures += 1;
        this.#options.log.warn('Watch broke, listing again', { resource: this.#options.resource.plural, error: errorText(error) });
        await delay(Math.min(250 * 2 ** this.#failures, LONGEST_PAUSE), undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Lists, then follows watches one after the other. A watch that ends is resumed; what cannot be resumed throws. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { api, resource, labelSelector } = this.#options;
    let resourceVersion = await this.#list();
    while (!signal.aborted) {
      for await (const event of api.watch(resource, { labelSelector, resourceVersion, signal })) {
        resourceVersion = this.#take(event);
        this.#failures = 0;
      }
    }
  }

  async #list(): Promise<string> {
    const { api, resource, labelSelector, onChange } = this.#options;
    const { items, resourceVersion } = await api.list(resource, labelSelector);
    const before = new Map(this.#known);
    this.#known.clear();
    for (const item of items) {
      const key = keyOf(item);
      this.#known.set(key, item);
      if (before.get(key)?.metadata.resourceVersion !== item.metadata.resourceVersion) onChange(item);
      before.delete(key);
    }
    for (const gone of before.values()) onChange(gone);
    this.#synced.resolve();
    return resourceVersion;
  }

  /** Takes one event over; returns the version to resume from. */
  #take({ type, object }: WatchEvent): string {
    switch (type) {
      case 'ADDED':
      case 'MODIFIED':
        this.#known.set(keyOf(object), object);
        this.#options.onChange(object);
        break;
      case 'DELETED':
        this.#known.delete(keyOf(object));
        this.#options.onChange(object);
        break;
      case 'BOOKMARK':
        break;
      case 'ERROR':
        throw new ApiError(410, 'Expired', `The watch ended: ${JSON.stringify(object).slice(0, 300)}`);
    }
    return object.metadata.resourceVersion;
  }
}
