import semver from 'semver';
import { AppError } from '../core/errors.ts';
import { comparableVersion } from './comparable-version.ts';

/** Who decides that a newer chart of the range is installed: a person, or the range alone. */
export type UpgradePolicy = 'Manual' | 'Automatic';

/** The versions that an Operator follows. */
export interface Channel {
  /** `spec.chart.version`: the version to begin with, or a range such as `^1.2`. */
  readonly version: string;
  /** `spec.upgrade.range`: what newer versions are on offer. Without it a range in `version` is the channel, and one exact version has none. */
  readonly range?: string;
}

export interface VersionRequest extends Channel {
  readonly policy: UpgradePolicy;
  /** The version that is installed; undefined when none is. */
  readonly installed: string | undefined;
  /** What the repository offers, in any order; empty when it cannot be asked. */
  readonly offered: readonly string[];
  /** The version that a person has approved. */
  readonly approved?: string | undefined;
}

/**
 * The version to ask the repository for. Under `Manual` the installed one stays as long as it is in the channel: a newer one is only shown until
 * somebody approves it. Where `spec.upgrade.range` follows one exact version, nothing below that version is ever asked for.
 */
export function requestedVersion(wish: VersionRequest): string {
  const { version, range, policy, installed, offered, approved } = wish;
  if (range === undefined && (isExact(version) || policy === 'Automatic')) return version;
  const current = installed !== undefined && isInChannel(installed, wish) ? installed : undefined;
  const first = isExact(version) ? version : range === undefined ? version : (newestVersion(offered, wish) ?? version);
  if (policy === 'Automatic') return newestVersion([...offered, ...(current === undefined ? [] : [current])], wish) ?? first;
  if (current === undefined) return first;
  return approved !== undefined && isInChannel(approved, wish) && isNewer(approved, current) ? approved : current;
}

/**
 * The newest version that is on offer and newer than the current one: of the channel, or, where one exact version is pinned, of all released ones.
 *
 * @param offered in any order.
 */
export function newerVersion(offered: readonly string[], channel: Channel, current: string): string | undefined {
  if (!isVersion(current)) return undefined;
  const isOffered = channel.range === undefined && offered.includes(channel.version);
  const found = newestVersion(offered, isOffered || isPinned(channel) ? { version: '*' } : channel);
  return found !== undefined && isNewer(found, current) ? found : undefined;
}

/** Whether a version belongs to the channel. Prereleases do only when the range names one of the same version. */
export function isInChannel(candidate: string, { version, range }: Channel): boolean {
  const comparable = comparableVersion(candidate);
  if (comparable === undefined) return false;
  const fits = (wanted: string): boolean => candidate === wanted || semver.satisfies(comparable, rangeOf(wanted), { loose: true });
  if (range !== undefined && !fits(range) && !isSame(candidate, version)) return false;
  return isExact(version) ? (range === undefined ? isSame(candidate, version) : !isNewer(version, candidate)) : fits(version);
}

/** Whether one exact version is asked for, and nothing newer is ever on its way. */
export function isPinned({ version, range }: Channel): boolean {
  return range === undefined && isExact(version);
}

/** Whether the text can only be one version: `1.2` and `v1` are ranges where they are asked for. */
export function isExact(version: string): boolean {
  if (semver.valid(version, { loose: true }) !== null) return true;
  return isVersion(version) && semver.validRange(version, { loose: true }) === null;
}

/** Whether a chart can have the version. */
export function isVersion(text: string): boolean {
  return comparableVersion(text) !== undefined;
}

/** Whether `version` comes after `other`; false when one of them is no version. */
export function isNewer(version: string, other: string): boolean {
  const [one, two] = [comparableVersion(version), comparableVersion(other)];
  return one !== undefined && two !== undefined && semver.gt(one, two);
}

/** Sorts the newest version first; versions of one precedence stay in their order. */
export function newestFirst(a: string, b: string): number {
  return isNewer(a, b) ? -1 : isNewer(b, a) ? 1 : 0;
}

/** Whether two texts name one version, with or without a `v`. */
export function isSame(version: string, other: string): boolean {
  if (version === other) return true;
  if (!isExact(version) || !isExact(other)) return false;
  const [one, two] = [comparableVersion(version), comparableVersion(other)];
  return one !== undefined && two !== undefined && semver.eq(one, two);
}

/** @param field that has the range. @throws AppError `InvalidInput` for a range that is none. */
export function checkRange({ range }: Partial<Channel>, field = 'spec.upgrade.range'): void {
  if (range === undefined || semver.validRange(range, { loose: true }) !== null) return;
  throw new AppError('InvalidInput', `${field}: ${JSON.stringify(range)} is no range of versions; write one such as ^1 or >=1.4 <2`);
}

/** Whether the step from one version to the next is to another major one, which may change what a chart asks for. */
export function isMajorStep(from: string, to: string): boolean {
  return isNewer(to, from) && semver.major(comparableVersion(from) ?? '') !== semver.major(comparableVersion(to) ?? '');
}

/** The newest version of a channel, whatever the order; undefined when none belongs to it. */
export function newestVersion(offered: readonly string[], channel: Channel): string | undefined {
  return offered
    .filter((candidate) => isInChannel(candidate, channel))
    .reduce<string | undefined>(
      (newest, candidate) => (newest === undefined || isNewer(candidate, newest) ? candidate : newest),
      undefined,
    );
}

function rangeOf(version: string): string {
  return version === '' ? '*' : version;
}
