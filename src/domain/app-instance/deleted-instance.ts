import { isObject, listAt, objectAt, textAt, textsAt } from '../core/read.ts';
import { parseJson, stringifyJson } from '../core/exact-json.ts';
import { ownContentOf } from '../instance/instance-content.ts';
import { OURS } from '../kubernetes/names.ts';
import { SECRET } from '../kubernetes/resource-types.ts';
import { type JsonObject, type KubeObject, timestamp } from '../kubernetes/resource.ts';

/** What an instance was when it was deleted, so that it can be created again. */
export interface DeletedInstance {
  /** The uid that it had. */
  readonly id: string;
  /** `<plural>.<group>` */
  readonly app: string;
  readonly name: string;
  /** RFC 3339: when the deletion was requested, and when this record ends. */
  readonly deleted: string;
  readonly expires: string;
  /** The version of the chart that ran; absent where none did. */
  readonly version?: string;
  /** Labels, annotations and spec, with a stand-in for each sensitive value. */
  readonly content: JsonObject;
  /** The names of its PersistentVolumeClaims that the uninstallation of its release left. */
  readonly claims: readonly string[];
}

/** Label on the record of a deleted instance. */
export const DELETED_INSTANCE = 'chandlery.dev/deleted-instance';
/** Annotation on it: when it ends, as RFC 3339. */
const EXPIRES = 'chandlery.dev/expires';
export const DELETED_SELECTOR = `${DELETED_INSTANCE}=true`;
const TYPE = 'chandlery.dev/deleted-instance';
const KEPT_MS = 7 * 86_400_000;
/** A Secret holds 1 MiB. */
const MAX_BYTES = 768 * 1024;

interface Deleted {
  readonly plural: string;
  /** As people may be shown it. */
  readonly masked: KubeObject;
  readonly claims: readonly string[];
  readonly now: Date;
}

/** The Secret that keeps an instance for seven days, in its namespace and without an owner; undefined where there is no room for it. */
export function recordOf({ plural, masked, claims, now }: Deleted): KubeObject | undefined {
  const { name, namespace = '', uid = '', deletionTimestamp } = masked.metadata;
  const version = textAt(masked.status, 'version');
  const content = ownContentOf(masked);
  const stored = { app: `${plural}.${OURS.appsGroup}`, name, ...(version === undefined ? {} : { version }), content, claims };
  const record = Buffer.from(stringifyJson({ ...stored, deleted: deletionTimestamp ?? timestamp(now) })).toString('base64');
  if (record.length > MAX_BYTES) return undefined;
  return {
    apiVersion: 'v1',
    kind: SECRET.kind,
    type: TYPE,
    metadata: {
      name: `chandlery.deleted.${uid}`,
      namespace,
      labels: { 'app.kubernetes.io/managed-by': 'chandlery', [DELETED_INSTANCE]: 'true' },
      annotations: { [EXPIRES]: timestamp(new Date(now.getTime() + KEPT_MS)) },
    },
    data: { record },
  };
}

/**
 * What a record says; undefined for what cannot be read, and for one that has ended. Anybody who writes Secrets there may have written it: what is created from it is checked like any
 * other draft.
 */
export function deletedInstanceIn(secret: KubeObject, now: number): DeletedInstance | undefined {
  const stored = textAt(secret, 'type') === TYPE ? parsed(textAt(objectAt(secret, 'data'), 'record') ?? '') : undefined;
  const [app, name, deleted] = [textAt(stored, 'app'), textAt(stored, 'name'), textAt(stored, 'deleted')];
  const id = /^chandlery\.deleted\.([0-9a-f-]{36})$/.exec(secret.metadata.name)?.[1];
  const expires = secret.metadata.annotations?.[EXPIRES] ?? '';
  if (id === undefined || app === undefined || name === undefined || deleted === undefined || !(Date.parse(expires) > now))
    return undefined;
  const version = textAt(stored, 'version');
  const content = ownContentOf(objectAt(stored, 'content'));
  return { id, app, name, deleted, expires, ...(version === undefined ? {} : { version }), content, claims: textsAt(stored, 'claims') };
}

function parsed(text: string): unknown {
  try {
    const stored: unknown = parseJson(Buffer.from(text, 'base64').toString('utf8'));
    return isObject(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** The names of the Secrets and ConfigMaps that an instance took values from, as `Secret orders-password`. */
export function valueSources({ content }: Pick<DeletedInstance, 'content'>): readonly string[] {
  return listAt(content, 'spec', 'valuesFrom').map((one) => `${textAt(one, 'kind') ?? ''} ${textAt(one, 'name') ?? ''}`);
}

/** Milliseconds until a record ends; 0 for one that has ended, or says nothing of it. */
export function untilEnd({ metadata }: Pick<KubeObject, 'metadata'>, now: number): number {
  const end = Date.parse(metadata.annotations?.[EXPIRES] ?? '');
  return Number.isNaN(end) ? 0 : Math.max(0, end - now);
}
