import type { Finding, Findings } from '../../domain/preflight/findings.ts';

/** A view of `parts/findings`: the lines of a preflight in groups; empty groups are left out. */
export interface FindingsView {
  readonly groups: readonly FindingGroup[];
  /** Whether any line is an estimate, which wants to be explained. */
  readonly estimates: boolean;
}

export interface FindingGroup {
  readonly title: string;
  readonly tone: 'bad' | 'warn' | 'good' | 'idle';
  readonly symbol: string;
  readonly lines: readonly { readonly message: string; readonly estimate: boolean }[];
}

const GROUPS = [
  { of: 'blocked', title: 'Blocked', tone: 'bad', symbol: 'bad' },
  { of: 'warned', title: 'Warnings', tone: 'warn', symbol: 'warn' },
  { of: 'created', title: 'Will be created', tone: 'good', symbol: 'plus' },
  { of: 'changed', title: 'Will change', tone: 'good', symbol: 'edit' },
  { of: 'removed', title: 'Will be deleted', tone: 'bad', symbol: 'trash' },
  { of: 'unchecked', title: 'Not checked', tone: 'idle', symbol: 'unknown' },
] as const satisfies readonly (Omit<FindingGroup, 'lines'> & { readonly of: keyof Findings })[];

export function findingsView(findings: Findings): FindingsView {
  const groups = GROUPS.flatMap(({ of, ...group }) => (findings[of].length === 0 ? [] : [{ ...group, lines: findings[of].map(lineOf) }]));
  return { groups, estimates: groups.some(({ lines }) => lines.some(({ estimate }) => estimate)) };
}

function lineOf({ message, evidence }: Finding): FindingGroup['lines'][number] {
  return { message, estimate: evidence === 'estimate' };
}
