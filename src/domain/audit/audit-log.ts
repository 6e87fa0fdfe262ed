/** The request with which somebody asks for an act. */
export interface RequestOrigin {
  readonly via: 'page' | 'api';
  readonly requestId: string;
}

export const AUDIT_OUTCOMES = ['done', 'rejected', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** Something that somebody does. */
export interface AuditEvent extends RequestOrigin {
  /** Verb and thing: `create instance`. */
  readonly action: string;
  /** Empty where it is done to no environment. */
  readonly environment: string;
  /** What it is done to: `team-a/caches.samples.chandlery.dev/orders`. */
  readonly target: string;
}

/** One act of somebody, after it was done or rejected. Names only: no value of anything is part of it. */
export interface AuditRecord extends AuditEvent {
  /** ISO 8601 in UTC. */
  readonly time: string;
  readonly user: string;
  readonly groups: readonly string[];
  readonly outcome: AuditOutcome;
  /** The code of the error; empty when it was done. */
  readonly code: string;
}

/** A line as it is kept; ids grow. */
export interface AuditEntry extends AuditRecord {
  readonly id: number;
}

/** Which entries are wanted; all that is named must hold, upper and lower case are the same. */
export interface AuditQuery {
  /** Part of a user name; empty: everybody. */
  readonly person: string;
  /** An environment; empty: all, and what is in none. */
  readonly environment: string;
  /** Part of any other word of the entry; empty: all. */
  readonly text: string;
  /** Only entries older than the one of this id. */
  readonly before?: number;
  /** Entries at most. */
  readonly limit: number;
}

/** Who did what. */
export interface AuditLog {
  append(line: AuditRecord): Promise<void>;
  /** The newest first. */
  search(query: AuditQuery): Promise<readonly AuditEntry[]>;
}

/** Whether an entry is one of those that are wanted, whatever its place. */
export function matchesQuery(entry: AuditEntry, { person, environment, text }: AuditQuery): boolean {
  const { user, groups, action, target, outcome, code, via, requestId, time } = entry;
  if (environment !== '' && entry.environment !== environment) return false;
  if (!user.toLowerCase().includes(person.toLowerCase())) return false;
  const words = [...groups, action, target, outcome, code, via, requestId, time].join('\n').toLowerCase();
  return words.includes(text.toLowerCase());
}
