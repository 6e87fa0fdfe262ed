import semver from 'semver';
import { AppError } from '../core/errors.ts';
import { listAt } from '../core/read.ts';
import { releaseName, type ReleaseFolder, type ReleaseRepository, RELEASE_FILE, type TargetFolder } from './release-repository.ts';
import { releaseRejected, type ReleaseFault } from './release-yaml.ts';

export interface UpgradeRequest {
  /** `installation/cluster`. */
  readonly target: string;
  /** `v21.0.0`, or `aws/v21.0.0` to name the provider, too. */
  readonly to: string;
  /** One component alone. */
  readonly only?: string;
}

/** An upgrade that is allowed. */
interface CheckedUpgrade {
  readonly target: TargetFolder;
  readonly to: ReleaseFolder;
  /** The release that base was generated from; undefined before the first, and when it is not in the repository any more. */
  readonly from: ReleaseFolder | undefined;
  readonly notes: readonly string[];
}

/**
 * Finds what an upgrade is about, and what forbids it.
 *
 * @throws AppError `NotFound`; `ReleaseRejected` with a fault for each reason, with file and line.
 */
export function checkUpgrade(repository: ReleaseRepository, request: UpgradeRequest): CheckedUpgrade {
  const target = findTarget(repository, request.target);
  const from = repository.releases.find(({ name }) => name === target.release?.name);
  const to = findRelease(repository, request.to, { target, from });
  const broken = repository.faults.filter(({ file }) =>
    [target.folder, to.folder, from?.folder].some((folder) => file.startsWith(`${folder ?? ' '}/`)),
  );
  const faults = [
    ...broken,
    ...changeFaults(to),
    ...(from === undefined || from === to ? [] : changeFaults(from)),
    ...recordFaults(target, from),
    ...stepFaults({ target, from, to }),
    ...componentFaults(to, request.only),
  ];
  if (faults.length > 0) throw releaseRejected(faults);
  return { target, to, from, notes: notesOf({ target, from, to }, request.only) };
}

/** @throws AppError `NotFound`. */
export function findTarget({ targets }: ReleaseRepository, folder: string): TargetFolder {
  const target = targets.find((one) => one.folder === folder.replace(/\/+$/, ''));
  if (target !== undefined) return target;
  const known = targets.map((one) => one.folder).join(', ');
  throw new AppError(
    'NotFound',
    `release: ${JSON.stringify(folder)} has no base/ here; ${known === '' ? 'there is no installation' : `there are ${known}`}`,
  );
}

/**
 * The release that a text names: `v21.0.0`, of the provider of the release that runs, or `aws/v21.0.0`.
 *
 * @throws AppError `NotFound`, `ReleaseRejected` when its definition has a fault.
 */
function findRelease(
  { releases, faults }: ReleaseRepository,
  text: string,
  at: { target: TargetFolder; from: ReleaseFolder | undefined },
): ReleaseFolder {
  const [version = '', provider] = text.split('/').toReversed();
  const named = (one: string): ReleaseFolder | undefined => releases.find(({ name }) => name === releaseName(one, version));
  const own = at.from?.provider ?? at.target.release?.name.replace(/-?v\d+\.\d+\.\d+.*$/, '');
  const alone = releases.filter(({ spec }) => spec.version === version);
  const wanted = provider === 'releases' ? '' : (provider ?? own);
  const only = alone.length === 1 ? alone[0] : undefined;
  const found = wanted === undefined ? only : named(wanted);
  if (found !== undefined) return found;
  const broken = faults.filter(({ file }) => file.includes(`/${version}/`) && (provider === undefined || file.startsWith(`${provider}/`)));
  if (broken.length > 0) throw releaseRejected(broken);
  const known = releases.map(({ folder }) => folder).join(', ');
  throw new AppError(
    'NotFound',
    `release: ${JSON.stringify(text)} is not one release here; ${known === '' ? 'there is none' : `there are ${known}`}`,
  );
}

/** A release that is not wip any more and holds something else than when it became active. */
export function changeFaults({ definition, digest, spec, folder }: ReleaseFolder): ReleaseFault[] {
  if (spec.state === 'wip' || spec.digest === digest) return [];
  const why = `the content of ${folder} has the digest ${digest}: an active release is immutable; undo the change, or make a new version`;
  return [definition.fault(['spec', 'digest'], why)];
}

/** A release that was changed together with its digest after base was generated from it. */
export function recordFaults({ release }: TargetFolder, from: ReleaseFolder | undefined): ReleaseFault[] {
  if (release?.digest === undefined || from === undefined || from.spec.state === 'wip' || release.digest === from.digest) return [];
  return [
    release.fault(
      `base was generated from ${from.name} with the digest ${release.digest}, and now it has ${from.digest}: an active release is immutable; restore it`,
    ),
  ];
}

interface Step {
  readonly target: TargetFolder;
  readonly from: ReleaseFolder | undefined;
  readonly to: ReleaseFolder;
}

function stepFaults({ target, from, to }: Step): ReleaseFault[] {
  const { definition, spec, folder } = to;
  if (spec.state === 'archived') return [definition.fault(['spec', 'state'], `${to.name} is archived; nothing upgrades to it`)];
  const current = from?.spec.version ?? /v\d+\.\d+\.\d+.*$/.exec(target.release?.name ?? '')?.[0];
  if (current === undefined || from === to) return [];
  if (upgradesFrom(to.spec.upgradesFrom, current)) return [];
  const allowed = spec.upgradesFrom.length === 0 ? 'nothing' : spec.upgradesFrom.join(', ');
  const hasField = listAt(definition.content, 'spec', 'upgradesFrom').length > 0;
  const why = `${target.folder} runs ${current}, and ${folder}/${RELEASE_FILE} upgrades from ${allowed}; go by a release in between`;
  return [definition.fault(hasField ? ['spec', 'upgradesFrom'] : ['spec'], why)];
}

/** Whether a release upgrades from a version. */
export function upgradesFrom(ranges: readonly string[], version: string): boolean {
  return ranges.some((range) => semver.satisfies(version, range, { includePrerelease: true }));
}

function componentFaults({ definition, spec, name }: ReleaseFolder, only: string | undefined): ReleaseFault[] {
  if (only === undefined || spec.components.some((component) => component.name === only)) return [];
  const known = spec.components.map((component) => component.name).join(', ');
  return [
    definition.fault(['spec', 'components'], `${name} has no component ${JSON.stringify(only)}; it has ${known === '' ? 'none' : known}`),
  ];
}

function notesOf({ target, from, to }: Step, only: string | undefined): string[] {
  const state =
    to.spec.state === 'wip' || to.spec.state === 'deprecated'
      ? [`${to.name} is ${to.spec.state}${to.spec.state === 'wip' ? ' and may still change' : ''}`]
      : [];
  const lost =
    target.release !== undefined && from === undefined
      ? [`${target.release.name} is not in the repository, so edits of base cannot be distinguished from what it generated`]
      : [];
  return [...state, ...lost, ...(only === undefined ? [] : dependencyNotes({ from, to }, only))];
}

/** Dependencies of a component that do not come with it. */
function dependencyNotes({ from, to }: Pick<Step, 'from' | 'to'>, only: string): string[] {
  const versionIn = (release: ReleaseFolder | undefined, component: string): string | undefined =>
    release?.spec.components.find(({ name }) => name === component)?.version;
  const needed = to.spec.components.find(({ name }) => name === only)?.dependsOn ?? [];
  return needed.flatMap((name) => {
    const [now, then] = [versionIn(from, name), versionIn(to, name)];
    return now === then ? [] : [`${only} depends on ${name}, which stays at ${now ?? 'nothing'}; ${to.name} has ${then ?? 'nothing'}`];
  });
}
