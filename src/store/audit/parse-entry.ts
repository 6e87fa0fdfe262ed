import { isObject, numberAt } from '../../domain/core/read.ts';
import type { AuditEntry, AuditRecord } from '../../domain/audit/audit-log.ts';

const BLANK: AuditRecord = {
  time: '',
  user: '',
  groups: [],
  action: '',
  environment: '',
  target: '',
  outcome: 'succeeded',
  code: '',
  via: 'page',
  requestId: '',
};

/** The entry of a line; nothing for a line that is none, such as one that a crash cut short. */
export function parseEntry(line: string): readonly AuditEntry[] {
  if (line === '') return [];
  try {
    const entry: unknown = JSON.parse(line);
    return isObject(entry) && numberAt(entry, 'id') !== undefined ? [completed(entry, 0)] : [];
  } catch {
    return [];
  }
}

/** The entry of an object that an older version wrote, which may know less. @param id for one without */
export function completed(entry: Readonly<Record<string, unknown>>, id: number): AuditEntry {
  return { ...BLANK, ...entry, id: numberAt(entry, 'id') ?? id };
}
