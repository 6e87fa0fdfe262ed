import { gunzipSync, gzipSync } from 'node:zlib';
import { parseJson, stringifyJson } from '../core/exact-json.ts';
import { isObject, listAt, textAt } from '../core/read.ts';
import { PENDING_REMOVAL } from './condition.ts';
import { hasFinalizer, otherFinalizersOf } from './finalizers.ts';
import { OURS } from './names.ts';
import { apiVersionOf, type KubeObject } from './resource.ts';
import { APP_DEFINITION, CATALOG_SOURCE, ENVIRONMENT, type KnownType, OPERATOR, SECRET } from './resource-types.ts';

/*
 * A deletionTimestamp cannot be taken back. An object that is kept is released without what its deletion does, and created again: the same name, spec and
 * status. A Secret holds it until then, so that it is not lost when the controller ends in between.
 */

/** The kinds whose objects can be kept. */
const KEPT_KINDS: readonly KnownType[] = [OPERATOR, APP_DEFINITION, ENVIRONMENT, CATALOG_SOURCE];

/** Whether objects of a type can be kept. */
export function isKeepable({ group, resource }: KnownType): boolean {
  return KEPT_KINDS.some((kind) => kind.group === group && kind.resource === resource);
}

/** Whether an object is being deleted, and a user or its source has asked to keep it. */
export function isToBeKept({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.annotations?.[OURS.keep] === 'true';
}

/** Whether an object was kept, and does not have its status and its dependents yet. */
export function isIncomplete({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.annotations?.[OURS.keptFrom] !== undefined;
}

/** The command that keeps an object which is being deleted. */
export function keepCommand({ resource, group }: KnownType, { metadata }: Pick<KubeObject, 'metadata'>): string {
  const { name, namespace } = metadata;
  const where = namespace === undefined ? '' : ` --namespace ${namespace}`;
  return `kubectl annotate ${resource}.${group} ${name}${where} ${OURS.keep}=true`;
}

/** Why an object that is being deleted stays: finalizers of others. Ours goes after them, because without ours nothing can be kept any more. */
export interface FinalizersRemaining {
  readonly reason: 'FinalizersRemaining';
  /** A sentence without its full stop. */
  readonly message: string;
}

/** @returns undefined when no finalizer but ours is left. @param also what is true until they are gone: a clause. */
export function finalizersRemaining(type: KnownType, object: KubeObject, also?: string): FinalizersRemaining | undefined {
  const others = otherFinalizersOf(object);
  if (others.length === 0) return undefined;
  const waits = `The ${type.kind} is being deleted and waits for the finalizers ${others.join(', ')}`;
  const message = [waits, also, `to keep it: ${keepCommand(type, object)}`].filter((part) => part !== undefined).join('; ');
  return { reason: 'FinalizersRemaining', message };
}

/** A deleted object as a Secret holds it. */
export interface KeptObject {
  /** The name of the Secret. */
  readonly record: string;
  readonly type: KnownType;
  /** As it was read before its release. */
  readonly object: KubeObject;
  /** The uid of the object that was created again and is complete; absent before. */
  readonly completed?: string;
}

const COMPLETED = `${OURS.group}/completed-uid`;

/** The Secret that holds an object which is about to be released. */
export function recordOf({ resource }: KnownType, object: KubeObject): KubeObject {
  const metadata = {
    name: `kept-${object.metadata.uid ?? ''}`,
    namespace: OURS.systemNamespace,
    labels: { 'app.kubernetes.io/managed-by': 'chandlery', [OURS.keptObjectLabel]: resource },
  };
  const data = { object: gzipSync(stringifyJson(object)).toString('base64') };
  return { apiVersion: apiVersionOf(SECRET), kind: SECRET.kind, metadata, type: `${OURS.group}/kept-object`, data };
}

/** The annotation that notes on a record which object is complete. */
export function completedBy(uid: string): Readonly<Record<string, string>> {
  return { [COMPLETED]: uid };
}

/** What a record holds; undefined for one that cannot be read. */
export function readRecord({ metadata, data }: KubeObject): KeptObject | undefined {
  const type = KEPT_KINDS.find(({ resource }) => resource === metadata.labels?.[OURS.keptObjectLabel]);
  const packed = textAt(data, 'object');
  if (type === undefined || packed === undefined) return undefined;
  const object = unpack(packed);
  const completed = metadata.annotations?.[COMPLETED];
  return object && { record: metadata.name, type, object, ...(completed === undefined ? {} : { completed }) };
}

function unpack(packed: string): KubeObject | undefined {
  try {
    const object: unknown = parseJson(gunzipSync(Buffer.from(packed, 'base64')).toString());
    return isObject(object) && textAt(object, 'metadata', 'uid') !== undefined ? (object as unknown as KubeObject) : undefined;
  } catch {
    return undefined;
  }
}

export type KeepAction =
  /** It is still there: its dependents lose it as their owner, and it its finalizer. */
  | { readonly kind: 'release'; readonly live: KubeObject }
  /** Finalizers of others hold it. */
  | { readonly kind: 'await' }
  | { readonly kind: 'create' }
  /** Another client has created it in the meantime. */
  | { readonly kind: 'mark'; readonly live: KubeObject }
  /** It is there again, without its status and its dependents. */
  | { readonly kind: 'complete'; readonly live: KubeObject }
  /** It has all of that, and its annotation says otherwise. */
  | { readonly kind: 'unmark'; readonly live: KubeObject }
  | { readonly kind: 'forget'; readonly live: KubeObject };

/** The next step for a deleted object that is kept. Pure. @param live the object of its name. */
export function nextKeepAction({ object, completed }: Pick<KeptObject, 'object' | 'completed'>, live: KubeObject | undefined): KeepAction {
  if (live === undefined) return { kind: 'create' };
  if (live.metadata.uid === object.metadata.uid) return hasFinalizer(live) ? { kind: 'release', live } : { kind: 'await' };
  if (completed !== live.metadata.uid) return { kind: isIncomplete(live) ? 'complete' : 'mark', live };
  return { kind: isIncomplete(live) ? 'unmark' : 'forget', live };
}

/** The object to create: with our finalizer from the beginning, and without what asked for the deletion. */
export function objectAgain({ object }: Pick<KeptObject, 'object'>): KubeObject {
  const { apiVersion, kind, metadata, spec } = object;
  const { name, namespace, uid = '', labels, ownerReferences } = metadata;
  const { [OURS.keep]: _keep, [OURS.deletionIntent]: _intent, ...annotations } = metadata.annotations ?? {};
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
      annotations: { ...annotations, [OURS.keptFrom]: uid },
      finalizers: [OURS.finalizer],
    },
    ...(spec === undefined ? {} : { spec }),
  };
}

/** Conditions of the deletion, and that of the controller of sources. */
const DROPPED = ['Deletable', PENDING_REMOVAL];

/** The status for the object that was created again. Generations begin anew: what was about the last one of the old object is about the one of the new. */
export function statusAgain({ object }: Pick<KeptObject, 'object'>, { metadata: { generation = 1 } }: KubeObject): object | undefined {
  if (!isObject(object.status)) return undefined;
  const renumbered = renumber(object.status, { from: object.metadata.generation, to: generation });
  if (!isObject(renumbered)) return undefined;
  const conditions = listAt(renumbered, 'conditions').filter((condition) => !DROPPED.includes(textAt(condition, 'type') ?? ''));
  return { ...renumbered, ...('conditions' in renumbered ? { conditions } : {}) };
}

function renumber(value: unknown, generations: { readonly from: number | undefined; readonly to: number }): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => renumber(one, generations));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, one]): [string, unknown] => {
    if (typeof one !== 'number' || (key !== 'generation' && key !== 'observedGeneration')) return [key, renumber(one, generations)];
    return [key, one === generations.from ? generations.to : 0];
  });
  return Object.fromEntries(entries);
}

/** The managed fields that the object had, with those of its new status; undefined when others have fields of the new object already. */
export function managedFieldsAgain({ object }: Pick<KeptObject, 'object'>, live: KubeObject): readonly unknown[] | undefined {
  const isStatus = (entry: unknown): boolean => textAt(entry, 'subresource') === 'status';
  const now = listAt(live.metadata, 'managedFields');
  if (now.some((entry) => textAt(entry, 'manager') !== OURS.fieldManager)) return undefined;
  const before = listAt(object.metadata, 'managedFields').filter((entry) => !isStatus(entry));
  return before.length === 0 ? undefined : [...before, ...now.filter(isStatus)];
}
