import type { MissingPermission } from '../core/errors.ts';

/** `Incomplete`: nothing blocks, and whether the release can be made is unknown, because it could not be rendered or tried. */
export const PREFLIGHT_VERDICTS = ['Ready', 'Incomplete', 'Blocked'] as const;
export type PreflightVerdict = (typeof PREFLIGHT_VERDICTS)[number];

/** What a finding is about. */
export const FINDING_SUBJECTS = [
  'Object',
  'Permission',
  'Validation',
  'Quota',
  'LimitRange',
  'PodSecurity',
  'Policy',
  'Webhook',
  'Class',
  'Node',
  'Data',
  'Chart',
] as const;
export type FindingSubject = (typeof FINDING_SUBJECTS)[number];

/** One line of a preflight. */
export interface Finding {
  /** A sentence that stands alone. */
  readonly message: string;
  readonly subject: FindingSubject;
  /** `exact`: the api-server said so, or stores it so; `estimate`: it follows from names of fields, and may come otherwise. */
  readonly evidence: 'exact' | 'estimate';
  /** Dotted path from the root of the resource, where it is about a field. */
  readonly field?: string;
}

/** What would happen, in groups. */
export interface Findings {
  readonly created: readonly Finding[];
  readonly changed: readonly Finding[];
  readonly removed: readonly Finding[];
  readonly blocked: readonly Finding[];
  readonly warned: readonly Finding[];
  /** What could not be looked at, and why. */
  readonly unchecked: readonly Finding[];
}

const MAX_ITEMS = 250;

/** Several readings as one; equal lines once, and of a group no more than anybody reads. */
export function joinFindings(parts: readonly Partial<Findings>[]): Findings {
  const of = (group: keyof Findings): Finding[] => {
    const lines = parts.flatMap((part) => part[group] ?? []);
    const once = [...new Map(lines.map((line) => [`${line.subject} ${line.message}`, line])).values()];
    const more = once.length - MAX_ITEMS;
    return more <= 0 ? once : [...once.slice(0, MAX_ITEMS), { message: `and ${more} more`, subject: 'Object', evidence: 'exact' }];
  };
  return {
    created: of('created'),
    changed: of('changed'),
    removed: of('removed'),
    blocked: of('blocked'),
    warned: of('warned'),
    unchecked: of('unchecked'),
  };
}

/** The smallest grant that would help with a missing permission. */
export interface Remedy {
  readonly permission: MissingPermission;
  /** What is granted, in a few words: `ClusterRole chandlery-app-caches.example.com-edit in the namespace team-a`. */
  readonly role: string;
  /** RBAC objects, a YAML stream. */
  readonly yaml: string;
  /** The same as commands of kubectl, a line each. */
  readonly kubectl: string;
}
