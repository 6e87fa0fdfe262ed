import { createHash } from 'node:crypto';
import { AppError } from '../domain/core/errors.ts';
import { stringifyJson } from '../domain/core/exact-json.ts';
import { isObject, listAt } from '../domain/core/read.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';

/** What Helm has kept of a revision. */
export interface RevisionObjects {
  readonly release: string;
  readonly namespace: string;
  readonly revision: number;
  /** As of `releaseDigest`. */
  readonly digest: string;
  readonly hooks: readonly KubeObject[];
  /** As they were sent; without hooks. */
  readonly objects: readonly KubeObject[];
  /** Empty when it has none. */
  readonly notes: string;
}

/** Keys of a release and of a hook as Helm writes them. Helm, written in Go, would also read `Manifest` as `manifest`. */
const KEY = /^[a-z_]+$/;
const STRING = /"(?:[^"\\]|\\.)*"/g;

/**
 * The SHA-256 digest, in hexadecimal, of what Helm acts on in the record of a revision: all of it but what Helm itself changes later, which is the status of the revision and
 * the last run, the default deletion policy and the order of hooks. Helm leaves empty members out or writes them as null, which is the same here.
 *
 * @param text the release as JSON, and `release` what it parses to.
 * @throws AppError `HelmFailed` for JSON that another parser would read differently: repeated keys, and keys in other letters.
 */
export function releaseDigest(text: string, release: unknown): string {
  const hooks = listAt(release, 'hooks');
  if (!isObject(release) || [release, ...hooks].some((part) => !isObject(part) || !Object.keys(part).every((key) => KEY.test(key))))
    throw ambiguous();
  if (text.replaceAll(STRING, '').split(':').length - 1 !== keysIn(release)) throw ambiguous();
  const { info: _info, ...stable } = release;
  // Helm runs hooks by weight and name, and writes them in another order after a run.
  const stableHooks = hooks.map((hook) => canonical(stableHook(hook))).toSorted((a, b) => (stringifyJson(a) < stringifyJson(b) ? -1 : 1));
  return createHash('sha256')
    .update(stringifyJson(canonical({ ...stable, hooks: stableHooks })))
    .digest('hex');
}

/** A hook without its last run. When Helm runs one that has no deletion policy, it writes down its default. */
function stableHook(hook: unknown): unknown {
  if (!isObject(hook)) return hook;
  const { last_run: _run, ...rest } = hook;
  return { ...rest, delete_policies: listAt(hook, 'delete_policies').length === 0 ? ['before-hook-creation'] : hook['delete_policies'] };
}

function ambiguous(): AppError {
  return new AppError('HelmFailed', 'the record of the release is not as Helm writes it');
}

function keysIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + keysIn(item), 0);
  return isObject(value) ? Object.values(value).reduce((sum: number, item) => sum + 1 + keysIn(item), 0) : 0;
}

/** Members in one order, and none that are empty. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => canonical(item) ?? null);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [key, canonical(member)] as const);
  return members.filter(([, member]) => !isEmpty(member)).sort(([a], [b]) => (a < b ? -1 : 1));
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}
