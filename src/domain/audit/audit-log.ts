import type { Person } from '../core/session.ts';
import { escapeControls } from './escape-controls.ts';

/** The request that caused an action. */
export interface RequestOrigin {
  readonly via: 'page' | 'api';
  readonly requestId: string;
  /** How the person is called, for texts that others read; never for the audit log. */
  readonly person?: Person;
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

const MAX_LENGTHS = { action: 64, name: 320, target: 640, code: 64, requestId: 64 };
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
  };
}

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
