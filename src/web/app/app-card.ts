import type { AppSummary } from '../../domain/app/app.ts';
import { availabilityBadge, type Badge } from '../page/badges.ts';
import { appPath } from '../page/paths.ts';
import { pictureAddress } from '../page/picture-address.ts';

/** A view of `parts/app-icon`: the picture, or the initial on one of four tints. */
export interface AppIcon {
  readonly src?: string;
  readonly initial: string;
  readonly tint: number;
}

/** A view of `parts/app-card`. */
export interface AppCard {
  readonly href: string;
  readonly icon: AppIcon;
  readonly displayName: string;
  readonly provider: string;
  readonly summary: string;
  readonly category: string;
  /** `Version 1.2.3`, or the version of the kind where the chart has none. */
  readonly version: string;
  readonly availability: Badge;
  readonly message: string;
}

export function appCard(app: AppSummary): AppCard {
  return {
    href: appPath(app.id),
    icon: appIcon(app),
    displayName: app.displayName,
    provider: app.provider,
    summary: app.summary,
    category: app.category,
    version: app.appVersion ?? app.chartVersion ?? app.version,
    availability: availabilityBadge(app.availability),
    message: app.availability === 'Available' ? '' : app.availabilityMessage,
  };
}

/** The icon of an App. Only https addresses, fetched by us, and image data addresses become pictures; a catalogue entry is foreign data. */
export function appIcon(app: Pick<AppSummary, 'id' | 'displayName' | 'icon'>): AppIcon {
  const initial = (/[\p{L}\p{N}]/u.exec(app.displayName)?.[0] ?? '?').toUpperCase();
  const tint = (Buffer.from(app.id).reduce((sum, byte) => sum + byte, 0) % 4) + 1;
  const { icon = '' } = app;
  const src = icon.startsWith('data:image/') ? icon : pictureAddress(icon);
  return src === undefined ? { initial, tint } : { src, initial, tint };
}
