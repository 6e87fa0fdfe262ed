import { copyFile, mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Adapter } from 'lowdb';
import { AppError, messageOf } from '../domain/core/errors.ts';
import { parseJson, stringifyJson } from '../domain/core/exact-json.ts';
import { at, isObject } from '../domain/core/read.ts';

/** A lowdb adapter for one private JSON file: writes are atomic, one after another, and those that wait are joined into one. */
export class JsonFile<T extends object> implements Adapter<T> {
  readonly #file: string;
  readonly #parse: (object: Readonly<Record<string, unknown>>) => T;
  #waiting: { readonly text: string; readonly written: Promise<void> } | undefined;
  #last: Promise<void> = Promise.resolve();

  /** @param parse makes the data of the object in the file; it throws when the object is not ours. */
  constructor(file: string, parse: (object: Readonly<Record<string, unknown>>) => T) {
    this.#file = file;
    this.#parse = parse;
  }

  /** @throws AppError `ConfigInvalid` when the file is there but not ours to understand; a copy of it is kept. */
  async read(): Promise<T | null> {
    const text = await readIfThere(this.#file);
    return text === undefined ? null : await this.#understand(text);
  }

  write(data: T): Promise<void> {
    const text = stringifyJson(data);
    if (this.#waiting !== undefined) {
      this.#waiting = { text, written: this.#waiting.written };
      return this.#waiting.written;
    }
    const written = this.#last.then(() => this.#writeWaiting());
    this.#waiting = { text, written };
    this.#last = written.catch(() => undefined);
    return written;
  }

  /** Waits for the last write, whether it succeeds or not: whoever asked for it got the result. */
  async flush(): Promise<void> {
    await this.#last;
  }

  async #writeWaiting(): Promise<void> {
    const text = this.#waiting?.text;
    this.#waiting = undefined;
    if (text !== undefined) await writePrivately(this.#file, text);
  }

  async #understand(text: string): Promise<T> {
    try {
      const data: unknown = parseJson(text);
      if (!isObject(data)) throw new TypeError('it holds no object');
      return this.#parse(data);
    } catch (cause) {
      const copy = `${this.#file}.broken`;
      await copyFile(this.#file, copy);
      const advice = 'repair it, or remove it and start again: what it holds is lost then, nothing in the cluster is';
      throw new AppError('ConfigInvalid', `store: ${this.#file} cannot be read (${messageOf(cause)}). A copy is at ${copy}; ${advice}`, {
        cause,
      });
    }
  }
}

/** The text of a file; undefined when there is none. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (at(error, 'code') === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces a file that only its owner may read, whole or not at all: also after a crash there is the old one or the new one. */
export async function writePrivately(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.next`;
  const handle = await open(next, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(next, file);
}
