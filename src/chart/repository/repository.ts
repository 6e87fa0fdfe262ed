import semver from 'semver';
import { comparableVersion } from '../../domain/chart/comparable-version.ts';
import { chartError } from '../chart-error.ts';

/** A version of a chart that a repository offers. */
export interface OfferedVersion {
  readonly version: string;
  /** Where it is; relative to the repository where it says no more. */
  readonly address: string;
  /** `sha256:<hex>`, where the repository tells. */
  readonly digest?: string;
}

/**
 * The offer that fits: the version itself, or the newest of a range (`^1.2`), or the newest released one when no version is asked for.
 *
 * @throws AppError `ChartNotFound` that names the newest versions there are.
 */
export function chooseVersion(
  offers: readonly OfferedVersion[],
  wanted: string,
  what: { readonly repoURL: string; readonly name: string; readonly skipped?: number },
): OfferedVersion {
  const plain = (version: string) => version.replace(/^v/, '');
  const exact = offers.find((offer) => plain(offer.version) === plain(wanted));
  const range = wanted === '' ? '*' : wanted;
  const fitting = offers.find((offer) => semver.satisfies(comparableVersion(offer.version) ?? '', range, { loose: true }));
  const chosen = exact ?? fitting ?? (wanted === '' ? offers[0] : undefined);
  if (chosen !== undefined) return chosen;
  const there = offers.slice(0, 5).map((offer) => offer.version);
  const skipped =
    what.skipped === undefined || what.skipped === 0 ? '' : `; entries that cannot be read and were left out: ${what.skipped}`;
  const chart = `the chart ${JSON.stringify(what.name)}`;
  const why =
    there.length === 0
      ? `there is no version of ${chart}`
      : `there is no version ${JSON.stringify(wanted)} of ${chart}; the newest ones are ${there.join(', ')}`;
  throw chartError('ChartNotFound', what.repoURL, `${why}${skipped}`);
}

/** What has a version that Helm takes, the newest first; of equals, in the order that they came. */
export function newestFirst<T extends { readonly version: string }>(offers: readonly T[]): T[] {
  return offers
    .flatMap((offer) => {
      const parsed = semver.parse(comparableVersion(offer.version));
      return parsed === null ? [] : [{ offer, parsed }];
    })
    .sort((a, b) => b.parsed.compare(a.parsed))
    .map(({ offer }) => offer);
}

/** `sha256:<hex>` in lower case, with or without the prefix before. */
export function normalDigest(digest: string): string {
  return `sha256:${digest.toLowerCase().replace(/^sha256:/, '')}`;
}
