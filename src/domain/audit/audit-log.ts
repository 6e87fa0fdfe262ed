import { AppError } from '../core/errors.ts';
import type { Person } from '../core/session.ts';
import type { CiJob } from '../environment/job-deployment.ts';
import { boundObjects, type ChangedObjects } from './changed-objects.ts';
import { escapeControls } from './escape-controls.ts';

/** The request that caused an action. */
export interface RequestOrigin {
  /** A page, the REST API, or the controller for what was approved by kubectl or by one of them. */
  readonly via: 'page' | 'api' | 'controller';
  readonly requestId: string;
  /** How the person is called, for texts that others read; never for the audit log. */
  readonly person?: Person;
  /** As in `SignedIn`; never for the audit log. */
  readonly subject?: string;
  /** The CI job whose token came with it. */
  readonly ciJob?: CiJob;
}

export const AUDIT_OUTCOMES = ['succeeded', 'rejected', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** An action of a person, and the request that caused it. */
export interface AuditEvent extends RequestOrigin {
  /** Verb and type: `create instance`. */
  readonly action: string;
  /** The environment of the target; empty outside of environments. */
  readonly environment: string;
  /** The target: `team-a/caches.samples.chandlery.dev/orders`. */
  readonly target: string;
}

/** An audit event with its actor and outcome. It has names only, never values. */
export interface AuditRecord extends AuditEvent {
  /** ISO 8601 in UTC. */
  readonly time: string;
  readonly user: string;
  readonly groups: readonly string[];
  readonly outcome: AuditOutcome;
  /** The code of the error; empty on success. */
  readonly code: string;
  /** The personal access token that the request came with: `deploy (0123456789abcdef)`; absent for other credentials. */
  readonly token?: string;
  /**
   * The change of a resource that the entry is about, as the api-server numbered it: `<uid>.<generation>`, or the uid with a request by annotation or `deletion`. The entry of a
   * person and those of what the controller did for it have the same one.
   */
  readonly change?: string;
  /** The revision of a Helm release that the controller made, tested or removed. */
  readonly release?: ReleaseRevision;
  readonly objects?: ChangedObjects;
}

export interface ReleaseRevision {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
}

/** A stored entry. Later entries have larger ids. */
export interface AuditEntry extends AuditRecord {
  readonly id: number;
}

/** Filters of the audit log. An entry must match all of them; letter case is ignored. */
export interface AuditQuery {
  /** A substring of the user name; empty matches everybody. */
  readonly person: string;
  /** An environment; empty matches all entries. */
  readonly environment: string;
  /** A substring of any other field of the entry; empty matches all entries. */
  readonly text: string;
  /** Only entries older than the one of this id. */
  readonly before?: number;
  /** The maximum number of entries. */
  readonly limit: number;
}

/** The audit log: who did what. */
export interface AuditLog {
  append(line: AuditRecord): Promise<void>;
  /** Returns matching entries, newest first. */
  search(query: AuditQuery): Promise<readonly AuditEntry[]>;
}

/** Whether an entry matches the filters of a query, apart from `before` and `limit`. */
export function matchesQuery(entry: AuditEntry, { person, environment, text }: AuditQuery): boolean {
  if (environment !== '' && entry.environment !== environment) return false;
  if (!entry.user.toLowerCase().includes(person.toLowerCase())) return false;
  return searchedWords(entry).includes(text.toLowerCase());
}

/** What the text of a query is searched in, in lower case. */
export function searchedWords({ groups, action, target, outcome, code, via, requestId, time, token = '', ...more }: AuditRecord): string {
  const { change = '', objects } = more;
  const names = objects === undefined ? [] : [objects.created, objects.changed, objects.removed, objects.hooks].flat();
  return [...groups, action, target, outcome, code, via, requestId, time, token, change, ...names].join('\n').toLowerCase();
}

const MAX_LENGTHS = { action: 64, name: 320, target: 640, code: 64, requestId: 64, token: 128, change: 128 };
/** Characters of all groups together. */
const GROUPS = 2048;

/** An audit event of bounded length, in plain characters: some of it comes from whoever asks, and is rejected later or not at all. */
export function boundEvent(event: AuditRecord): AuditRecord {
  return {
    time: event.time,
    user: cut(event.user, MAX_LENGTHS.name),
    groups: cutGroups(event.groups),
    action: cut(event.action, MAX_LENGTHS.action),
    environment: cut(event.environment, MAX_LENGTHS.name),
    target: cut(event.target, MAX_LENGTHS.target),
    outcome: event.outcome,
    code: cut(event.code, MAX_LENGTHS.code),
    via: event.via,
    requestId: cut(event.requestId, MAX_LENGTHS.requestId),
    ...(event.token === undefined ? {} : { token: cut(event.token, MAX_LENGTHS.token) }),
    ...(event.change === undefined ? {} : { change: cut(event.change, MAX_LENGTHS.change) }),
    ...boundRelease(event),
  };
}

function boundRelease({ release, objects }: AuditRecord): Pick<AuditRecord, 'release' | 'objects'> {
  const { name, namespace } = MAX_RELEASE;
  return {
    ...(release === undefined
      ? {}
      : { release: { ...release, namespace: cut(release.namespace, namespace), name: cut(release.name, name) } }),
    ...(objects === undefined ? {} : { objects: boundObjects(objects) }),
  };
}

/** Characters of names that Kubernetes and Helm allow. */
const MAX_RELEASE = { namespace: 63, name: 253 };

function cut(text: string, longest: number): string {
  const plain = escapeControls(text.slice(0, longest + 1));
  return plain.length <= longest ? plain : `${plain.slice(0, longest - 1)}…`;
}

function cutGroups(groups: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let room = GROUPS;
  for (const group of groups) {
    const name = cut(group, MAX_LENGTHS.name);
    room -= name.length;
    if (room < 0) return [...kept, `… ${groups.length - kept.length} more`];
    kept.push(name);
  }
  return kept;
}

interface ActionRateLimit {
  /** Actions that one person may do at once. */
  readonly burst: number;
  /** Milliseconds until one more is allowed. */
  readonly refillMs: number;
  /** What is bounded, for the message: `actions`. */
  readonly what: string;
}

/** Each action is an entry of the audit log, whose size is bounded: no person may evict the entries of others. */
export const ACTION_RATE_LIMIT: ActionRateLimit = { burst: 600, refillMs: 1000, what: 'actions' };
/** Thirty a minute: each install is work for the cluster and for the app's operator. */
export const INSTALL_RATE_LIMIT: ActionRateLimit = { burst: 30, refillMs: 2000, what: 'installs' };

/** A rate limiter for the actions of each person: a token bucket per user name. */
export class ActionRateLimiter {
  readonly #bounds: ActionRateLimit;
  /** When a person's allowance is full again, in milliseconds. */
  readonly #fullAt = new Map<string, number>();

  constructor(bounds: ActionRateLimit = ACTION_RATE_LIMIT) {
    this.#bounds = bounds;
  }

  /** @throws AppError `TooManyRequests` over the limit, with the seconds until the next action is allowed. */
  take(user: string, now: number): void {
    const { burst, refillMs, what } = this.#bounds;
    if (this.#fullAt.size > 1000) for (const [known, at] of this.#fullAt) if (at <= now) this.#fullAt.delete(known);
    const fullAt = Math.max(now, this.#fullAt.get(user) ?? 0) + refillMs;
    const early = fullAt - now - burst * refillMs;
    if (early > 0) {
      const message = `${what}: you did more than ${burst} in a short time; one more is allowed every ${refillMs / 1000} s`;
      throw new AppError('TooManyRequests', message, { retryAfter: Math.ceil(early / 1000) });
    }
    this.#fullAt.set(user, fullAt);
  }
}

/** Unsuccessful actions of one person that are recorded one by one in a window; further ones are counted. */
const MAX_ITEMS = 100;
const WINDOW_MS = 3_600_000;

interface Count {
  readonly user: string;
  readonly groups: readonly string[];
  readonly outcome: AuditRecord['outcome'];
  readonly until: number;
  recorded: number;
  skipped: number;
}

/**
 * Keeps rejected and failed actions, which cost the caller nothing, from filling the audit log: of each person the first hundred in an hour are recorded, the
 * others as one number when the hour is over.
 */
export class RejectionQuota {
  /** The oldest window first. */
  readonly #counts = new Map<string, Count>();

  /** What is to be recorded for an event: nothing, the event, and numbers of windows that are over. */
  record(event: AuditRecord): readonly AuditRecord[] {
    const now = Date.parse(event.time);
    const over = this.#closeWindows(now, event);
    if (event.outcome === 'succeeded') return [...over, event];
    const key = `${event.outcome} ${event.user}`;
    const { user, groups, outcome } = event;
    const count = this.#counts.get(key) ?? { user, groups, outcome, until: now + WINDOW_MS, recorded: 0, skipped: 0 };
    this.#counts.set(key, count);
    if (count.recorded < MAX_ITEMS) {
      count.recorded += 1;
      return [...over, event];
    }
    count.skipped += 1;
    const until = new Date(count.until).toISOString();
    const first = summary(event, count, `more than ${MAX_ITEMS} in an hour: further ones are counted until ${until}`);
    return count.skipped === 1 ? [...over, first] : over;
  }

  #closeWindows(now: number, event: AuditRecord): readonly AuditRecord[] {
    const over: AuditRecord[] = [];
    for (const [key, count] of this.#counts) {
      if (count.until > now) break;
      this.#counts.delete(key);
      if (count.skipped > 0) over.push(summary(event, count, `${count.skipped} in the hour before ${new Date(count.until).toISOString()}`));
    }
    return over;
  }
}

function summary({ time, via, requestId }: AuditRecord, { user, groups, outcome }: Count, target: string): AuditRecord {
  return {
    time,
    via,
    requestId,
    user,
    groups,
    outcome,
    target,
    action: `further ${outcome} actions`,
    environment: '',
    code: 'TooManyRequests',
  };
}
