import { listAt, textAt } from '../core/read.ts';
import { isSameResource } from './apply-release.ts';
import { changeFaults, recordFaults } from './check-upgrade.ts';
import { effectiveTarget, type OverlayKey } from './effective-values.ts';
import { KUSTOMIZATION, type ReleaseRepository, type TargetFolder } from './release-repository.ts';
import { type ReleaseFault, resourceIdOf } from './release-yaml.ts';

export interface RepositoryReport {
  readonly releases: number;
  readonly targets: number;
  readonly faults: readonly ReleaseFault[];
  /** Keys of overlays that change nothing, or may. */
  readonly keys: readonly OverlayKey[];
}

/** Everything that is wrong in a repository with releases, sorted by target. */
export function checkRepository(repository: ReleaseRepository): RepositoryReport {
  const { releases, targets } = repository;
  return {
    releases: releases.length,
    targets: targets.length,
    faults: [...repository.faults, ...releases.flatMap(changeFaults), ...targets.flatMap((target) => targetFaults(repository, target))],
    keys: targets.flatMap((target) => effectiveTarget(repository, target).keys),
  };
}

function targetFaults({ releases, faults }: ReleaseRepository, target: TargetFolder): ReleaseFault[] {
  const { release } = target;
  const from = releases.find(({ name }) => name === release?.name);
  const isBroken = release !== undefined && faults.some(({ file }) => file.includes(release.name.replace(/^.*(v\d+\.\d+\.\d+)/, '$1')));
  const unknown =
    release !== undefined && from === undefined && !isBroken
      ? [release.fault(`${release.name} is not in the repository; restore its folder`)]
      : [];
  return [...unknown, ...recordFaults(target, from), ...listFaults(target), ...resourceFaults(target)];
}

/** Files that kustomize would not load, and names of files that are gone. */
function listFaults(target: TargetFolder): ReleaseFault[] {
  const layers = [
    { name: 'base', files: target.base, kustomization: target.baseKustomization },
    { name: 'overlay', files: target.overlay, kustomization: target.overlayKustomization },
  ];
  return layers.flatMap(({ name, files, kustomization }): ReleaseFault[] => {
    const path = `${target.folder}/${name}/${KUSTOMIZATION}`;
    const [document] = kustomization?.documents ?? [];
    if (document === undefined) {
      return [{ file: path, line: 0, column: 0, message: 'the file is missing; chandlery release upgrade writes it' }];
    }
    const { content, fault } = document;
    const named = [...listAt(content, 'resources'), ...listAt(content, 'patches').map((item) => textAt(item, 'path'))];
    const missing = [...files.keys()].filter((file) => !named.includes(file));
    const gone = listAt(content, 'resources').flatMap((item, index) =>
      typeof item === 'string' && /^[^./].*\.ya?ml$/.test(item) && !files.has(item)
        ? [fault(['resources', index], `there is no file ${item}`)]
        : [],
    );
    return [...missing.map((file) => fault(['resources'], `${file} is not listed, so nothing loads it`)), ...gone];
  });
}

function resourceFaults(target: TargetFolder): ReleaseFault[] {
  const bases = [...target.base.values()].flatMap(({ documents }) => documents);
  const overlays = [...target.overlay.values()].flatMap(({ documents }) => documents);
  const apps = overlays.filter(({ content }) => !bases.some((base) => isSameResource(content, base.content)));
  const seen = new Map<string, string>();
  return [...bases, ...apps].flatMap(({ content, file, fault }): ReleaseFault[] => {
    const id = resourceIdOf(content);
    if (id === undefined || textAt(content, 'apiVersion') === undefined) {
      return [fault([], 'it is no resource and no patch for one of base: apiVersion, kind and metadata.name are required')];
    }
    const earlier = seen.get(`${textAt(content, 'apiVersion') ?? ''} ${id}`);
    seen.set(`${textAt(content, 'apiVersion') ?? ''} ${id}`, file);
    return earlier === undefined ? [] : [fault(['metadata', 'name'], `${id} is also in ${earlier}; keep one of them`)];
  });
}
