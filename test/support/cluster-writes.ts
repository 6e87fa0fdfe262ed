import { type FSWatcher, closeSync, fstatSync, openSync, readSync, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { objectAt, textAt } from '../../src/domain/core/read.ts';

/** A write that an api-server has answered. */
export interface ClusterWrite {
  readonly resource: string;
  readonly namespace: string;
  /** Empty where the api-server chose it. */
  readonly name: string;
}

const WRITES = /"verb":"(?:create|update|patch|delete|deletecollection)"/;
const CHUNK = 1 << 16;

const followed = new Map<string, FollowedFile>();

/** Calls back with each write to the cluster whose audit log this is, from now on. Returns how to stop. */
export function onClusterWrite(auditLogPath: string, listener: (write: ClusterWrite) => void): () => void {
  return onLine(auditLogPath, (line) => {
    if (!WRITES.test(line)) return;
    const reference = objectAt(JSON.parse(line), 'objectRef');
    const [resource = '', namespace = '', name = ''] = ['resource', 'namespace', 'name'].map((key) => textAt(reference, key));
    listener({ resource, namespace, name });
  });
}

/** Calls back with each line that is written to a file from now on, also when another file takes its place. Returns how to stop. */
export function onLine(path: string, listener: (line: string) => void): () => void {
  const file = followed.get(path) ?? follow(path);
  followed.set(path, file);
  file.listeners.add(listener);
  return () => {
    file.listeners.delete(listener);
    if (file.listeners.size > 0) return;
    followed.delete(path);
    file.close();
  };
}

interface FollowedFile {
  readonly listeners: Set<(line: string) => void>;
  close(): void;
}

function follow(path: string): FollowedFile {
  const listeners = new Set<(line: string) => void>();
  let descriptor = openFile(path);
  let position = descriptor === undefined ? 0 : fstatSync(descriptor).size;
  let rest = '';
  let decoder = new StringDecoder('utf8');
  /** What follows the end of a line that was written half-way when the file was opened is no line. */
  let isWhole = descriptor === undefined || position === 0 || endsLine(descriptor, position);
  const readOn = (): void => {
    if (descriptor === undefined) return;
    const buffer = Buffer.allocUnsafe(CHUNK);
    for (let read = readSync(descriptor, buffer, 0, CHUNK, position); read > 0; read = readSync(descriptor, buffer, 0, CHUNK, position)) {
      position += read;
      const lines = (rest + decoder.write(buffer.subarray(0, read))).split('\n');
      rest = lines.pop() ?? '';
      for (const line of isWhole ? lines : lines.slice(1)) for (const listener of listeners) listener(line);
      isWhole ||= lines.length > 0;
    }
  };
  const changed = (): void => {
    readOn();
    if (descriptor !== undefined && fstatSync(descriptor).ino === inodeOf(path)) return;
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = openFile(path);
    [position, rest, decoder, isWhole] = [0, '', new StringDecoder('utf8'), true];
    readOn();
  };
  const watcher: FSWatcher = watch(dirname(path), { persistent: false }, (_event, name) => {
    if (name === basename(path)) changed();
  });
  watcher.on('error', () => undefined);
  return {
    listeners,
    close: () => {
      watcher.close();
      if (descriptor !== undefined) closeSync(descriptor);
    },
  };
}

function endsLine(descriptor: number, position: number): boolean {
  const last = Buffer.alloc(1);
  readSync(descriptor, last, 0, 1, position - 1);
  return last.toString() === '\n';
}

function openFile(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
