import { textAt } from '../core/read.ts';

export const PENDING_REASONS = ['AwaitingApproval', 'OutsideWindow'] as const;

/** A newer revision that is known and not installed yet (`status.pendingUpgrade`). */
export interface PendingUpgrade {
  readonly version: string;
  /** `sha256:<hex>`; absent when the chart could not be looked at. */
  readonly chartDigest?: string;
  readonly reason: (typeof PENDING_REASONS)[number];
  /** When the maintenance window opens, RFC 3339; only for `OutsideWindow`. */
  readonly opensAt?: string;
}

/** Reads `status.pendingUpgrade`; undefined when there is none. */
export function parsePendingUpgrade(status: unknown): PendingUpgrade | undefined {
  const [version, chartDigest, word, opensAt] = ['version', 'chartDigest', 'reason', 'opensAt'].map((key) =>
    textAt(status, 'pendingUpgrade', key),
  );
  const reason = PENDING_REASONS.find((candidate) => candidate === word);
  if (version === undefined || reason === undefined) return undefined;
  return { version, ...(chartDigest === undefined ? {} : { chartDigest }), reason, ...(opensAt === undefined ? {} : { opensAt }) };
}
