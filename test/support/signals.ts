import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type ClusterWrite, onClusterWrite, onLine } from './cluster-writes.ts';
import { elapse } from './elapse.ts';

/** What one attempt of a wait has read: the next attempt is due when something of that has changed. */
export interface ReadSet {
  readonly objects: ReadObject[];
  /** Names in the paths of REST calls; an empty list of a call stands for everything. */
  readonly rest: { readonly stateDir: string; readonly names: readonly string[] }[];
  /** How often the attempt asked for something of which no write tells. */
  untracked: number;
}

/** An object, or a list of objects, that has been read from an api-server. */
export interface ReadObject {
  readonly stateDir: string;
  readonly path: string;
  readonly resource: string;
  readonly namespace: string;
  /** Empty for a list. */
  readonly name: string;
}

/** The log of a product under test, a JSON object a line, in its state folder. */
export const PRODUCT_LOG = 'product.log';

const PERMISSIONS = ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'];
const current = new AsyncLocalStorage<ReadSet>();
const stateDirs = new Set<string>();

/** Runs one attempt of a wait, and notes what it reads in `reads`. */
export function noteReads<T>(reads: ReadSet, attempt: () => Promise<T>): Promise<T> {
  return current.run(reads, attempt);
}

/** Makes known a state folder in which `audit.log`, and `product.log` where there is a product, tell what changes. */
export function addSignals(stateDir: string): void {
  stateDirs.add(stateDir);
}

/** Notes a call to the api-server of a state folder. */
export function noteCall(stateDir: string, { method, path }: { readonly method: string; readonly path: string }): void {
  const reads = current.getStore();
  if (reads === undefined) return;
  if (path.startsWith('/apis/authorization.k8s.io/')) {
    reads.objects.push(...PERMISSIONS.map((resource) => ({ stateDir, path, resource, namespace: '', name: '' })));
    return;
  }
  const object = method === 'GET' ? resourceIn(path) : undefined;
  if (object === undefined) reads.untracked += 1;
  else reads.objects.push({ stateDir, path, ...object });
}

/** Notes a call of the REST API of the product of a state folder, e.g. `/environments/team-a/instances`. */
export function noteRestCall(stateDir: string, path: string): void {
  const segments = (path.split('?')[0] ?? '').split('/').slice(1);
  const names = segments.filter((_segment, index) => index !== 0 && index !== 2);
  current.getStore()?.rest.push({ stateDir, names });
}

/** The resource, namespace and name in a path of the api-server; undefined for what is no resource. */
export function resourceIn(path: string): Pick<ReadObject, 'resource' | 'namespace' | 'name'> | undefined {
  const rest = /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)\/([^?]+)/.exec(path)?.[1];
  if (rest === undefined || /[?&]watch=/.test(path)) return undefined;
  const [first = '', second = '', third, fourth = ''] = rest.split('/');
  return first === 'namespaces' && third !== undefined
    ? { resource: third, namespace: second, name: fourth }
    : { resource: first, namespace: '', name: second };
}

/** Changes in all known state folders while a wait lasts. */
export interface Signals extends Disposable {
  /** Resolves with `Changed` when something that was read has changed since `forget`, with `Silent` after so many milliseconds without. */
  next(reads: ReadSet, milliseconds: number): Promise<'Changed' | 'Silent'>;
  /** Begins anew, before an attempt. */
  forget(): void;
}

type Signal = { readonly stateDir: string; readonly write: ClusterWrite } | { readonly stateDir: string; readonly line: string };

export function listenForSignals(): Signals {
  let queued: Signal[] = [];
  let wake: ((signal: Signal) => void) | undefined;
  const take = (signal: Signal): void => {
    queued.push(signal);
    wake?.(signal);
  };
  // A cluster of an earlier file of this process may be gone, with its folder.
  for (const stateDir of stateDirs) if (!existsSync(stateDir)) stateDirs.delete(stateDir);
  const stops = [...stateDirs].flatMap((stateDir) => [
    onClusterWrite(join(stateDir, 'audit.log'), (write) => take({ stateDir, write })),
    onLine(join(stateDir, PRODUCT_LOG), (line) => take({ stateDir, line })),
  ]);
  return {
    next: (reads, milliseconds) =>
      new Promise((resolve) => {
        if (queued.some((signal) => concerns(reads, signal))) return resolve('Changed');
        const over = new AbortController();
        const done = (outcome: 'Changed' | 'Silent'): void => {
          wake = undefined;
          resolve(outcome);
          over.abort();
        };
        void elapse(milliseconds, over.signal).then(() => done('Silent'));
        wake = (signal) => {
          if (concerns(reads, signal)) done('Changed');
        };
      }),
    forget: () => {
      queued = [];
    },
    [Symbol.dispose]: () => stops.forEach((stop) => stop()),
  };
}

function concerns({ objects, rest }: ReadSet, signal: Signal): boolean {
  const { stateDir } = signal;
  if ('line' in signal) {
    // The line about a request is that of the attempt itself.
    if (signal.line.includes('"msg":"request"')) return false;
    return rest.some(
      (call) => call.stateDir === stateDir && (call.names.length === 0 || call.names.some((name) => signal.line.includes(name))),
    );
  }
  const { resource, namespace, name } = signal.write;
  const isRead = objects.some(
    (object) =>
      object.stateDir === stateDir &&
      object.resource === resource &&
      (object.namespace === '' || object.namespace === namespace) &&
      (object.name === '' || name === '' || object.name === name),
  );
  return (
    isRead ||
    rest.some(
      (call) => call.stateDir === stateDir && (call.names.length === 0 || call.names.some((part) => part === namespace || part === name)),
    )
  );
}
