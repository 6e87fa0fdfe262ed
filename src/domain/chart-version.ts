import semver from 'semver';

/** Who decides that a newer chart of the range is installed: a person, or the range alone. */
export type UpgradePolicy = 'Manual' | 'Automatic';

export interface VersionWish {
  /** `spec.chart.version`: a version, or a range such as `^1.2`. */
  readonly version: string;
  readonly policy: UpgradePolicy;
  /** The version that is installed; undefined when none is. */
  readonly installed: string | undefined;
}

/**
 * The version to ask the repository for. With a range under `Manual` the installed one stays as long as it is in the range: a newer one is only
 * shown.
 */
export function versionToAskFor({ version, policy, installed }: VersionWish): string {
  if (isExact(version) || policy === 'Automatic' || installed === undefined) return version;
  return semver.satisfies(installed, rangeOf(version), { loose: true }) ? installed : version;
}

/**
 * The newest version that is on offer and newer than the current one: of the range, or, where one exact version is asked for, of all released ones.
 *
 * @param offered in any order.
 */
export function newerVersion(offered: readonly string[], version: string, current: string): string | undefined {
  const range = isExact(version) ? '*' : rangeOf(version);
  const fitting = offered.filter(
    (candidate) => semver.valid(candidate, { loose: true }) !== null && semver.satisfies(candidate, range, { loose: true }),
  );
  const [newest] = semver.rsort([...fitting], { loose: true });
  if (newest === undefined || semver.valid(current, { loose: true }) === null) return undefined;
  return semver.gt(newest, current, { loose: true }) ? newest : undefined;
}

/** Whether the text is one version rather than a range. */
export function isExact(version: string): boolean {
  return semver.valid(version, { loose: true }) !== null;
}

function rangeOf(version: string): string {
  return version === '' ? '*' : version;
}
