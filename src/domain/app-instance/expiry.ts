import { textAt } from '../core/read.ts';
import { type Expiry, type ExpiryPhase, expiryPhase } from '../environment/expiry.ts';
import { duration, object, optional, type ValueOf } from '../kind/field.ts';
import { conditionsOf, findCondition } from '../kubernetes/condition.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** `spec.expiry` of an AppDefinition. */
export const expiryField = object(
  {
    after: optional(
      duration({
        name: 'after',
        from: '1m',
        to: '87600h',
        description:
          'How long after its creation an instance without spec.expires expires, for example 720h. No spec.expires can be later than that. Default: instances expire at their spec.expires alone.',
      }),
    ),
    warnBefore: duration({
      name: 'warnBefore',
      from: '0s',
      to: '8760h',
      default: '24h',
      description: 'How long before the expiry a condition, an Event and the page of the instance warn of it.',
    }),
    gracePeriod: duration({
      name: 'gracePeriod',
      from: '0s',
      to: '8760h',
      default: '72h',
      description:
        'How long after the expiry Chandlery keeps the instance with its workloads scaled to zero, before Chandlery deletes the instance.',
    }),
  },
  {
    description: 'When instances expire, and what happens before and after. Also the times of instances with a spec.expires of their own.',
  },
);

export type ExpirySettings = ValueOf<typeof expiryField>;

/** When an instance expires and is deleted, in milliseconds since 1970. */
export interface InstanceExpiry extends Expiry {
  /** The latest that `spec.expires` may be; absent: any time. */
  readonly latest?: number;
  readonly phase: ExpiryPhase;
}

/** The condition that says where an instance is on its way to the end. */
export const EXPIRED = 'Expired';

/**
 * When an instance ends: at its `spec.expires`, at the latest when its AppDefinition says; undefined when never. The grace period begins when the condition says that the
 * instance has expired, so that whoever sets an end in the past, or runs no controller for a week, loses nothing without it.
 *
 * @param now milliseconds since 1970.
 */
export function instanceExpiry(instance: KubeObject, settings: ExpirySettings, now: number): InstanceExpiry | undefined {
  const { after, warnBefore, gracePeriod } = settings;
  const latest = after === undefined ? Infinity : Date.parse(instance.metadata.creationTimestamp ?? '') + after;
  const wanted = Date.parse(textAt(instance.spec, 'expires') ?? '');
  const expiresAt = Math.min(...[wanted, latest].filter((time) => !Number.isNaN(time)));
  if (expiresAt === Infinity) return undefined;
  const condition = findCondition(conditionsOf(instance), EXPIRED);
  const since = condition?.status === 'True' ? Date.parse(condition.lastTransitionTime) : now;
  const times = { warnAt: expiresAt - warnBefore, expiresAt, deleteAt: Math.max(expiresAt, since) + gracePeriod };
  return { ...times, ...(Number.isFinite(latest) ? { latest } : {}), phase: expiryPhase(times, now) };
}

/** What the status of an instance says of its end, once that is near. Times are RFC 3339. */
export interface ReportedExpiry {
  readonly phase: 'ExpiresSoon' | 'Expired';
  readonly expiresAt: string;
  readonly deletesAt: string;
  /** What to set `spec.expires` to, to keep it a while longer; absent where its AppDefinition lets it live no longer. */
  readonly extension?: string;
}

/** The near end of an instance of a chart; undefined when there is none, or it is far. */
export function reportedExpiry(instance: KubeObject): ReportedExpiry | undefined {
  const reason = findCondition(conditionsOf(instance), EXPIRED)?.reason;
  if (reason !== 'ExpiresSoon' && reason !== 'Expired') return undefined;
  const [expiresAt = '', deletesAt = '', latest] = ['expiresAt', 'deletesAt', 'latest'].map((key) =>
    textAt(instance.status, 'expiry', key),
  );
  const extension = extendedTo({
    expiresAt: Date.parse(expiresAt),
    deleteAt: Date.parse(deletesAt),
    ...(latest === undefined ? {} : { latest: Date.parse(latest) }),
  });
  return { phase: reason, expiresAt, deletesAt, ...(extension === undefined ? {} : { extension }) };
}

const WEEK_MS = 7 * 86_400_000;

/** A week more than it has until it is deleted, if it may have as much; undefined when it may not have more. RFC 3339. */
export function extendedTo({
  expiresAt,
  deleteAt,
  latest = Infinity,
}: Pick<InstanceExpiry, 'expiresAt' | 'deleteAt' | 'latest'>): string | undefined {
  const extended = Math.min(deleteAt + WEEK_MS, latest);
  return extended > expiresAt ? `${new Date(extended).toISOString().slice(0, 19)}Z` : undefined;
}
