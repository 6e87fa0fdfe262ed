import type { AuditRecord } from './audit-log.ts';
import { escapeControls } from './escape-controls.ts';

const LONGEST = { action: 64, name: 320, target: 640, code: 64, requestId: 64 };
/** Characters of all groups together. */
const GROUPS = 2048;

/** An audit event of bounded length, in plain characters: some of it comes from whoever asks, and is rejected later or not at all. */
export function boundEvent(event: AuditRecord): AuditRecord {
  return {
    time: event.time,
    user: cut(event.user, LONGEST.name),
    groups: cutGroups(event.groups),
    action: cut(event.action, LONGEST.action),
    environment: cut(event.environment, LONGEST.name),
    target: cut(event.target, LONGEST.target),
    outcome: event.outcome,
    code: cut(event.code, LONGEST.code),
    via: event.via,
    requestId: cut(event.requestId, LONGEST.requestId),
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
    const name = cut(group, LONGEST.name);
    room -= name.length;
    if (room < 0) return [...kept, `… ${groups.length - kept.length} more`];
    kept.push(name);
  }
  return kept;
}
