/** The request that caused an action. */
export interface RequestOrigin {
  readonly via: 'page' | 'api';
  readonly requestId: string;
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
  const { user, groups, action, target, outcome, code, via, requestId, time } = entry;
  if (environment !== '' && entry.environment !== environment) return false;
  if (!user.toLowerCase().includes(person.toLowerCase())) return false;
  const words = [...groups, action, target, outcome, code, via, requestId, time].join('\n').toLowerCase();
  return words.includes(text.toLowerCase());
}
