import { join } from 'node:path';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { isObject, numberAt, objectAt } from '../../domain/core/read.ts';
import { readJson, writeJson } from './issuer-secrets.ts';

interface Entry {
  readonly payload: AdapterPayload;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** What a restart may not lose, lest people have to sign in again; everything else lives for minutes. */
const KEPT = new Set(['Session', 'Grant', 'RefreshToken']);
const MAX_ENTRIES = 5000;

/** The state of the embedded issuer: in memory, and the lasting part of it in `DIR/issuer/state.json`. */
export class IssuerState {
  readonly #file: string;
  readonly #clock: () => number;
  readonly #entries = new Map<string, Entry>();
  #dirty = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(stateDir: string, clock: () => number) {
    this.#file = join(stateDir, 'issuer', 'state.json');
    this.#clock = clock;
  }

  async load(): Promise<void> {
    for (const [key, entry] of Object.entries(objectAt(await readJson(this.#file), 'entries'))) {
      const expiresAt = numberAt(entry, 'expiresAt') ?? 0;
      const payload = objectAt(entry, 'payload');
      if (expiresAt > this.#clock() && isObject(payload)) this.#entries.set(key, { payload, expiresAt });
    }
  }

  /** What oidc-provider asks of storage, for one of its models. */
  adapter(model: string): Adapter {
    const keyOf = (id: string): string => `${model}:${id}`;
    const findBy = (wanted: (payload: AdapterPayload) => boolean): AdapterPayload | undefined =>
      [...this.#entries].find(([key, { payload }]) => key.startsWith(`${model}:`) && wanted(payload))?.[1].payload;
    return {
      upsert: async (id, payload, expiresIn) => this.#put(keyOf(id), payload, expiresIn),
      find: async (id) => this.#get(keyOf(id)),
      findByUid: async (uid) => findBy((payload) => payload.uid === uid),
      findByUserCode: async (userCode) => findBy((payload) => payload.userCode === userCode),
      consume: async (id) => this.#consume(keyOf(id)),
      destroy: async (id) => this.#delete((key) => key === keyOf(id)),
      revokeByGrantId: async (grantId) => this.#delete((_key, { payload }) => payload.grantId === grantId),
    };
  }

  /** Waits for what is being written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  #get(key: string): AdapterPayload | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.expiresAt > this.#clock() ? entry.payload : undefined;
  }

  #put(key: string, payload: AdapterPayload, expiresIn = 0): void {
    this.#sweep();
    this.#entries.set(key, { payload, expiresAt: this.#clock() + expiresIn * 1000 });
    this.#changed(key);
  }

  #consume(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.set(key, { ...entry, payload: { ...entry.payload, consumed: Math.floor(this.#clock() / 1000) } });
    this.#changed(key);
  }

  #delete(isOver: (key: string, entry: Entry) => boolean): void {
    for (const [key, entry] of this.#entries) {
      if (!isOver(key, entry)) continue;
      this.#entries.delete(key);
      this.#changed(key);
    }
  }

  /** Oldest first: a Map keeps the order in which keys came. */
  #sweep(): void {
    const now = this.#clock();
    this.#delete((_key, { expiresAt }) => expiresAt <= now);
    let excess = this.#entries.size - MAX_ENTRIES;
    this.#delete(() => excess-- > 0);
  }

  #changed(key: string): void {
    if (!KEPT.has(key.split(':')[0] ?? '') || this.#dirty) return;
    this.#dirty = true;
    // A write that fails costs a sign-in after the next restart, and nothing now.
    this.#writing = this.#writing.then(() => this.#write()).catch(() => undefined);
  }

  async #write(): Promise<void> {
    this.#dirty = false;
    const kept = [...this.#entries].filter(([key]) => KEPT.has(key.split(':')[0] ?? ''));
    await writeJson(this.#file, { entries: Object.fromEntries(kept) });
  }
}
