import type { ReleaseNotes } from '../../domain/chart/release-notes.ts';
import type { Badge } from './badges.ts';

/** A view of `parts/release-notes`. */
export interface ReleaseNotesPart {
  readonly badges: readonly Badge[];
  readonly changes: readonly { readonly kind: string; readonly description: string }[];
}

export function releaseNotesPart({ changes, containsSecurityUpdates, prerelease }: ReleaseNotes): ReleaseNotesPart {
  return {
    badges: [
      ...(containsSecurityUpdates ? [{ label: 'Security updates', tone: 'warn', symbol: 'warn' } as const] : []),
      ...(prerelease ? [{ label: 'Pre-release', tone: 'idle' } as const] : []),
    ],
    changes: changes.map(({ kind = '', description }) => ({ kind: kind.charAt(0).toUpperCase() + kind.slice(1), description })),
  };
}
