import valid from 'semver/functions/valid.js';

const PARTS = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/**
 * The semantic version that the version of a chart is compared as, as Helm does: `1.2`, `v1` and `1.16-SNAPSHOT` lack parts, which count as 0. It is for comparisons
 * alone: the chart keeps the version that it has.
 *
 * @returns undefined for what Helm does not take for a version.
 */
export function comparableVersion(text: string): string | undefined {
  const [, major, minor = '0', patch = '0', prerelease = '', build = ''] = PARTS.exec(text) ?? [];
  if (major === undefined) return undefined;
  const parts = [major, minor, patch].map((part) => part.replace(/^0+(?=\d)/, ''));
  const version = `${parts.join('.')}${prerelease}`;
  return valid(version) === null ? undefined : `${version}${build}`;
}
