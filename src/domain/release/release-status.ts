import semver from 'semver';
import { at, textAt } from '../core/read.ts';
import { isNewer, isSame } from '../chart/chart-version.ts';
import { specOf } from '../kind/kind.ts';
import type { ConditionInput } from '../kubernetes/condition.ts';
import { OURS } from '../kubernetes/names.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { CATALOG_RELEASE_KIND, type ReleaseSpec, type ReleaseStatus, type ReleaseTarget } from './catalog-release.ts';
import { upgradesFrom } from './check-upgrade.ts';

/** A CatalogRelease in the cluster. */
export interface LiveRelease {
  readonly name: string;
  /** Empty for one without a provider. */
  readonly provider: string;
  readonly spec: ReleaseSpec;
}

export interface ReleaseWorld {
  readonly releases: readonly LiveRelease[];
  /** Operators and Environments; those with the label of a release run it. */
  readonly resources: readonly KubeObject[];
}

/** @throws AppError `InvalidInput` for one that the CRD would not let in. */
export function liveRelease(object: KubeObject): LiveRelease {
  const spec = specOf(CATALOG_RELEASE_KIND, object);
  const { name } = object.metadata;
  return { name, spec, provider: name === spec.version ? '' : name.slice(0, -spec.version.length - 1) };
}

/** What runs a release, and what is next. */
export function releaseStatus(release: LiveRelease, world: ReleaseWorld): Pick<ReleaseStatus, 'targets' | 'runsIn' | 'next'> {
  const running = world.resources.filter(({ metadata }) => metadata.labels?.[OURS.releaseLabel] === release.name);
  const byTarget = Map.groupBy(running, ({ metadata }) => metadata.labels?.[OURS.releaseTargetLabel] ?? '');
  const next = nextReleases(release, world.releases).map(({ name }) => name);
  const targets = [...byTarget]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, resources]): ReleaseTarget => ({
      name: name === '' ? 'unknown' : name,
      resources: resources.map(resourceText).sort(),
      components: ownComponents(release, resources, world.releases),
      next,
    }));
  return { targets, runsIn: targets.map(({ name }) => name).join(','), next };
}

/** The conditions of a release; it is not ready when nobody can upgrade by it, or should have left it. */
export function releaseConditions(
  { spec }: LiveRelease,
  { targets, runsIn, next }: Pick<ReleaseStatus, 'targets' | 'runsIn' | 'next'>,
): ConditionInput[] {
  const invalid = spec.upgradesFrom.find((range) => semver.validRange(range) === null);
  if (invalid !== undefined) {
    const message = `spec.upgradesFrom: ${JSON.stringify(invalid)} is no version or range; write one such as >=20.0.0 <21.0.0`;
    return ['Ready', 'Stalled'].map((type) => ({ type, status: type === 'Ready' ? 'False' : 'True', reason: 'InvalidRange', message }));
  }
  const used = targets.length === 0 ? 'Nothing runs this release' : `It runs in ${runsIn.replaceAll(',', ', ')}`;
  const newest = next[0] === undefined ? 'no newer release upgrades from it' : `the next release is ${next[0]}`;
  if (spec.state === 'archived' && targets.length > 0) {
    return [{ type: 'Ready', status: 'False', reason: 'ArchivedInUse', message: `The release is archived. ${used}; ${newest}` }];
  }
  const reason = { wip: 'WorkInProgress', active: 'Active', deprecated: 'Deprecated', archived: 'Archived' }[spec.state];
  return [{ type: 'Ready', status: 'True', reason, message: `${used}; ${newest}` }];
}

/** Active releases of the provider that upgrade from a release, the newest first. */
function nextReleases({ provider, spec }: LiveRelease, releases: readonly LiveRelease[]): LiveRelease[] {
  return releases
    .filter((one) => one.provider === provider && one.spec.state === 'active' && isNewer(one.spec.version, spec.version))
    .filter((one) => upgradesFrom(one.spec.upgradesFrom, spec.version))
    .toSorted((a, b) => (isNewer(a.spec.version, b.spec.version) ? -1 : 1));
}

function ownComponents(
  { provider, spec }: LiveRelease,
  resources: readonly KubeObject[],
  releases: readonly LiveRelease[],
): ReleaseTarget['components'] {
  return spec.components.flatMap(({ name, version }) => {
    const operator = resources.find((one) => one.kind === 'Operator' && one.metadata.name === name);
    const runs = textAt(operator, 'spec', 'chart', 'version');
    if (runs === undefined || isSame(runs, version)) return [];
    const from = releases.find(
      (one) => one.provider === provider && one.spec.components.some((other) => other.name === name && isSame(other.version, runs)),
    );
    return [{ name, version: runs, ...(from === undefined ? {} : { release: from.name }) }];
  });
}

function resourceText({ kind, metadata }: KubeObject): string {
  const namespace = at(metadata, 'namespace');
  return `${kind} ${typeof namespace === 'string' ? `${namespace}/` : ''}${metadata.name}`;
}
