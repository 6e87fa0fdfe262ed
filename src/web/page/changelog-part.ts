import type { Changelog } from '../../domain/chart/changelog.ts';
import type { Badge } from './badges.ts';

/** A view of `parts/changelog`. */
export interface ChangelogPart {
  readonly badges: readonly Badge[];
  readonly changes: readonly { readonly kind: string; readonly description: string }[];
  readonly links: Changelog['links'];
  readonly images: Changelog['images'];
}

export function changelogPart({ changes, links, images, containsSecurityUpdates, prerelease }: Changelog): ChangelogPart {
  return {
    badges: [
      ...(containsSecurityUpdates ? [{ label: 'Security updates', tone: 'warn', symbol: 'warn' } as const] : []),
      ...(prerelease ? [{ label: 'Pre-release', tone: 'idle' } as const] : []),
    ],
    changes: changes.map(({ kind = '', description }) => ({ kind: kind.charAt(0).toUpperCase() + kind.slice(1), description })),
    links,
    images,
  };
}
