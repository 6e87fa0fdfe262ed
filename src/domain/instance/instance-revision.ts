import { createHash } from 'node:crypto';
import { parseJson, stringifyJson } from '../core/exact-json.ts';
import { isSame } from '../core/merge-patch.ts';
import { isObject, listAt, objectAt, textAt } from '../core/read.ts';
import { OURS } from '../kubernetes/names.ts';
import type { JsonObject, KubeObject } from '../kubernetes/resource.ts';
import { contentOf } from './instance-content.ts';

/** What an Instance was before a change: its spec and the members beside it, without metadata. */
export interface InstanceRevision {
  /** Counted from 1, the first revision. */
  readonly revision: number;
  /** When it was replaced: RFC 3339. */
  readonly replaced: string;
  /** Who replaced it. */
  readonly user: string;
  /** The version of the kind that the content is of. */
  readonly version: string;
  /** With a stand-in for each sensitive value. */
  readonly content: JsonObject;
}

/** The Secret type of the earlier revisions of an Instance. */
const HISTORY_TYPE = 'chandlery.dev/instance-history';
const MAX_REVISIONS = 10;
/** A Secret holds 1 MiB. */
const MAX_BYTES = 768 * 1024;
const MAX_NAME_LENGTH = 253;
const KEY = /^revision-([1-9]\d{0,8})$/;

/** The name of the Secret with the earlier revisions of an Instance. @param app `<plural>.<group>` */
export function historyName(app: string, name: string): string {
  const plain = `chandlery.history.${app}.${name}`;
  if (plain.length <= MAX_NAME_LENGTH) return plain;
  const begin = plain.slice(0, MAX_NAME_LENGTH - 11).replace(/[^a-z0-9]+$/, '');
  return `${begin}-${createHash('sha256').update(plain).digest('hex').slice(0, 10)}`;
}

/** The spec of an object and what else stands beside it: what a rollback restores. */
export function revisedContent(object: unknown): JsonObject {
  const { metadata: _metadata, ...members } = contentOf(object);
  return members;
}

/**
 * The earlier revisions of an Instance, the newest first. What cannot be read is left out, and so is everything of another object of the same name: anybody who writes
 * Secrets there may have written it.
 */
export function revisionsIn(secret: KubeObject | undefined, instance: KubeObject): InstanceRevision[] {
  if (secret === undefined || !isHistoryOf(secret, instance)) return [];
  return Object.entries(objectAt(secret, 'data'))
    .flatMap(([key, value]) => parseRevision(key, value))
    .sort((a, b) => b.revision - a.revision);
}

function isHistoryOf(secret: KubeObject, { metadata: { uid } }: KubeObject): boolean {
  return (
    textAt(secret, 'type') === HISTORY_TYPE &&
    listAt(secret, 'metadata', 'ownerReferences').some((owner) => uid !== undefined && textAt(owner, 'uid') === uid)
  );
}

function parseRevision(key: string, value: unknown): InstanceRevision[] {
  const number = KEY.exec(key)?.[1];
  const stored = typeof value === 'string' && number !== undefined ? parseStored(value) : undefined;
  if (stored === undefined) return [];
  const [replaced, user, version] = ['replaced', 'user', 'version'].map((name) => textAt(stored, name) ?? '');
  return [
    {
      revision: Number(number),
      replaced: replaced ?? '',
      user: user ?? '',
      version: version ?? '',
      content: revisedContent(objectAt(stored, 'content')),
    },
  ];
}

function parseStored(text: string): unknown {
  try {
    const stored: unknown = parseJson(Buffer.from(text, 'base64').toString('utf8'));
    return isObject(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

type NewRevision = Omit<InstanceRevision, 'revision'>;

/**
 * The Secret with one more revision, the oldest dropped where there are too many; undefined where nothing has to be written.
 *
 * @param secret as it is; undefined where there is none.
 * @param app `<plural>.<group>`
 */
export function withRevision(
  secret: KubeObject | undefined,
  { app, instance, added }: { readonly app: string; readonly instance: KubeObject; readonly added: NewRevision },
): KubeObject | undefined {
  const known = revisionsIn(secret, instance);
  const [newest] = known;
  if (newest !== undefined && newest.version === added.version && isSame(newest.content, added.content)) return undefined;
  const all = [{ revision: (newest?.revision ?? 0) + 1, ...added }, ...known].slice(0, MAX_REVISIONS);
  const data = dataOf(all);
  return Object.keys(data).length === 0 ? undefined : { ...historyOf(app, instance, secret), data };
}

/** The newest ones for which there is room. */
function dataOf(revisions: readonly InstanceRevision[]): Record<string, string> {
  const data: Record<string, string> = {};
  let bytes = 0;
  for (const { revision, ...stored } of revisions) {
    const text = Buffer.from(stringifyJson(stored)).toString('base64');
    bytes += text.length;
    if (bytes > MAX_BYTES) break;
    data[`revision-${revision}`] = text;
  }
  return data;
}

function historyOf(app: string, instance: KubeObject, secret: KubeObject | undefined): KubeObject {
  const { apiVersion, kind, metadata } = instance;
  const { resourceVersion } = secret?.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: HISTORY_TYPE,
    metadata: {
      name: historyName(app, metadata.name),
      namespace: metadata.namespace ?? '',
      labels: { 'app.kubernetes.io/managed-by': 'chandlery', [OURS.instanceLabel]: labelOf(metadata.name) },
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' }],
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  };
}

function labelOf(name: string): string {
  return name.slice(0, 63).replace(/[^a-z0-9]+$/, '');
}

/** The revision of a number, or the newest one that is not what is live; undefined where there is none. */
export function findRevision(
  revisions: readonly InstanceRevision[],
  live: JsonObject,
  wanted: number | undefined,
): InstanceRevision | undefined {
  return revisions.find(({ revision, content }) => (wanted === undefined ? !isSame(content, live) : revision === wanted));
}
