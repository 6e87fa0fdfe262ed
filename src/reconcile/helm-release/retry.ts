import { createHash } from 'node:crypto';
import { backoffDelay } from '../../domain/core/backoff.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { type Condition, findCondition } from '../../domain/kubernetes/condition.ts';
import type { Attempt } from '../../domain/operator/kind/status-fields.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { isObject } from '../../domain/core/read.ts';
import type { ImageRewrite } from '../../domain/workload/image-rewrite.ts';

/** The time between attempts while trying again may help, in milliseconds. */
export const RETRY_BACKOFF = { first: 2_000, longest: 10 * 60_000 };

interface DueInput {
  readonly status: { readonly failures: number; readonly lastAttempted?: Attempt; readonly conditions: readonly Condition[] };
  readonly generation: number;
  /** The annotation `chandlery.dev/reconcile-at`; empty when there is none. */
  readonly requestedAt: string;
  /** The versions of what it refers to; undefined when they are not known. */
  readonly references?: string | undefined;
  /** Milliseconds. */
  readonly interval: number;
  readonly now: Date;
}

/**
 * How long to wait before the next attempt, in milliseconds; 0: it is due. After failures the time grows with their number, which the status
 * keeps over restarts; when trying again cannot help it is the interval. A new spec, a changed Secret or ConfigMap that it refers to, or a person
 * who asks, is always due.
 */
export function waitBeforeAttempt({ status, generation, requestedAt, references, interval, now }: DueInput): number {
  const { failures, lastAttempted, conditions } = status;
  if (failures === 0 || lastAttempted === undefined) return 0;
  if (lastAttempted.generation !== generation || lastAttempted.requestedAt !== requestedAt) return 0;
  if (references !== undefined && lastAttempted.references !== references) return 0;
  const stalled = findCondition(conditions, 'Stalled') !== undefined;
  const delay = stalled ? interval : backoffDelay(failures, RETRY_BACKOFF, 0);
  return Math.max(0, Date.parse(lastAttempted.time) + delay - now.getTime());
}

/** Label on a release record: the digest over what the revision was made of. */
export const CONFIG_DIGEST_LABEL = 'chandlery.dev/config-digest';

/**
 * The digest over what a revision is made of: chart, values, Kubernetes minor, the policy for legacy APIs, the rewrites of images and the labels of its nodes. A
 * release that carries the digest of today is in step. 40 hexadecimal digits, so that it fits into a label.
 */
export function configDigest(input: {
  readonly chartDigest: string;
  readonly spec: { readonly values: JsonObject; readonly legacyAPIs: 'Uplift' | 'Reject' };
  readonly kubernetesVersion: string;
  /** The revisions of `valuesFrom`. */
  readonly sources?: readonly string[];
  readonly imageRewrites?: readonly ImageRewrite[] | undefined;
  readonly nodeSelector?: Readonly<Record<string, string>>;
}): string {
  const { chartDigest, spec, kubernetesVersion, sources = [], imageRewrites = [], nodeSelector = {} } = input;
  const minor = kubernetesVersion.replace(/^v/, '').split('.').slice(0, 2).join('.');
  const parts = [
    chartDigest,
    canonical(spec.values),
    minor,
    spec.legacyAPIs,
    ...sources,
    ...imageRewrites.map(({ prefix, target }) => `${prefix}=${target}`).sort(),
    // Nothing where there is none, so that releases from before stay as they are.
    ...(Object.keys(nodeSelector).length === 0 ? [] : [{ nodeSelector: canonical(nodeSelector) }]),
  ];
  return createHash('sha256').update(stringifyJson(parts)).digest('hex').slice(0, 40);
}

/** The same value with the members of objects in one order, whatever order they came in. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => canonical(item));
  if (!isObject(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([key, member]) => [key, canonical(member)]);
}
