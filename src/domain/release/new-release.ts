import { AppError } from '../core/errors.ts';
import { isExact, isNewer } from '../chart/chart-version.ts';
import { listAt, objectAt, textAt } from '../core/read.ts';
import type { Json, JsonObject } from '../kubernetes/resource.ts';
import { wrappedPatch } from './apply-release.ts';
import { CATALOG_RELEASE_KIND } from './catalog-release.ts';
import { changeFaults } from './check-upgrade.ts';
import { releaseFolder, releaseName, type ReleaseFolder, type ReleaseRepository, RELEASE_FILE } from './release-repository.ts';
import { editText, releaseRejected, type ReleaseFile, writeDocument } from './release-yaml.ts';
import type { FileChange } from './upgrade-target.ts';

export interface NewReleaseRequest {
  /** `v22.0.0`, or `aws/v22.0.0`. */
  readonly version: string;
  /** The release to begin with; without it the newest of the provider. */
  readonly from?: string;
  /** Versions of components that change, by name. */
  readonly components: ReadonlyMap<string, string>;
}

/**
 * The files of a new release in state wip: those of an earlier one with its own version, and `upgradesFrom` from the earlier to the new one.
 *
 * @throws AppError `InvalidInput`, `NotFound`, `AlreadyExists`, `ReleaseRejected`.
 */
export function newRelease(repository: ReleaseRepository, request: NewReleaseRequest): FileChange[] {
  const [version = '', folder = 'releases'] = request.version.split('/').toReversed();
  if (!version.startsWith('v') || !isExact(version))
    throw new AppError('InvalidInput', `release new: ${JSON.stringify(request.version)} is no version; write one such as v22.0.0`);
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(folder))
    throw new AppError('InvalidInput', `release new: ${JSON.stringify(folder)} is no name of a provider`);
  const provider = folder === 'releases' ? '' : folder;
  const to = { version, provider, folder: releaseFolder(provider, version) };
  const known = repository.releases.filter((release) => release.provider === provider);
  if (
    [
      ...repository.releases.map((one) => one.folder),
      ...repository.faults.map(({ file }) => file.split('/').slice(0, 2).join('/')),
    ].includes(to.folder)
  ) {
    throw new AppError('AlreadyExists', `release new: ${to.folder} exists`);
  }
  const from = earlierOf(known, request.from, version);
  if (from === undefined) {
    if (request.from !== undefined)
      throw new AppError('NotFound', `release new: there is no release ${JSON.stringify(request.from)} before ${version} in ${folder}/`);
    return [{ path: `${to.folder}/${RELEASE_FILE}`, after: writeDocument(firstDefinition(to)) }];
  }
  const faults = changeFaults(from);
  if (faults.length > 0) throw releaseRejected(faults);
  return copyOf(from, to, request.components);
}

/** The change that makes a release active: its state, and the digest by which it is known from then on. */
export function activateRelease({ releases }: ReleaseRepository, text: string): FileChange {
  const release = releases.find(
    ({ folder, name, spec, provider }) => folder === text || name === text || (provider === '' && spec.version === text),
  );
  if (release === undefined)
    throw new AppError('NotFound', `release activate: there is no release ${JSON.stringify(text)}, or it has a fault`);
  const { definition, spec, digest, folder } = release;
  if (spec.state !== 'wip')
    throw releaseRejected([definition.fault(['spec', 'state'], `${release.name} is ${spec.state} already; only wip becomes active`)]);
  const path = `${folder}/${RELEASE_FILE}`;
  const content = { ...definition.content, spec: { ...objectAt(definition.content, 'spec'), state: 'active', digest } as JsonObject };
  return { path, before: release.text, after: editText(release.text, [content]) };
}

interface NewFolder {
  readonly version: string;
  readonly provider: string;
  readonly folder: string;
}

function firstDefinition({ version, provider }: NewFolder): JsonObject {
  const { type } = CATALOG_RELEASE_KIND;
  return {
    apiVersion: `${type.group}/${type.version}`,
    kind: type.kind,
    metadata: { name: releaseName(provider, version) },
    spec: { version, state: 'wip', upgradesFrom: [], components: [] },
  };
}

function earlierOf(known: readonly ReleaseFolder[], from: string | undefined, version: string): ReleaseFolder | undefined {
  const before = known.filter(({ spec }) => isNewer(version, spec.version));
  if (from !== undefined) return before.find(({ name, folder, spec }) => [name, folder, spec.version].includes(from));
  return before.toSorted((a, b) => (isNewer(a.spec.version, b.spec.version) ? -1 : 1))[0];
}

function copyOf(from: ReleaseFolder, to: NewFolder, components: NewReleaseRequest['components']): FileChange[] {
  const copied = [...from.base.values(), ...from.overlay.values()].map((file) => ({
    path: `${to.folder}${file.path.slice(from.folder.length)}`,
    after: renamedPatches(file, from.spec.version, to.version),
  }));
  return [{ path: `${to.folder}/${RELEASE_FILE}`, after: editText(from.text, [definitionOf(from, to, components)]) }, ...copied];
}

function definitionOf(from: ReleaseFolder, to: NewFolder, components: NewReleaseRequest['components']): JsonObject {
  const { content } = from.definition;
  const { digest: _digest, ...spec } = objectAt(content, 'spec') as JsonObject;
  const items = (listAt(spec, 'components') as readonly JsonObject[]).map((item): Json => {
    const version = components.get(textAt(item, 'name') ?? '');
    if (version === undefined) return item;
    const { digest: _ofChart, ...rest } = item;
    return { ...rest, version };
  });
  const unknown = [...components.keys()].filter((name) => !from.spec.components.some((component) => component.name === name));
  if (unknown.length > 0) throw new AppError('NotFound', `release new: ${from.name} has no component ${unknown.join(', ')}`);
  const plain = (version: string): string => version.slice(1);
  return {
    ...content,
    metadata: { ...objectAt(content, 'metadata'), name: releaseName(to.provider, to.version) },
    spec: {
      ...spec,
      version: to.version,
      state: 'wip',
      upgradesFrom: [`>=${plain(from.spec.version)} <${plain(to.version)}`],
      ...(items.length === 0 ? {} : { components: items }),
    },
  };
}

/** A ConfigMap around a patch has the version in its name: `machinepool-21-0-0`. */
function renamedPatches({ text, documents }: ReleaseFile, from: string, to: string): string {
  const dashed = (version: string): string => version.slice(1).replaceAll('.', '-');
  const contents = documents.map(({ content }): JsonObject => {
    const name = textAt(content, 'metadata', 'name');
    if (wrappedPatch(content) === undefined || name === undefined) return content;
    return { ...content, metadata: { ...objectAt(content, 'metadata'), name: name.replace(dashed(from), dashed(to)) } };
  });
  return editText(text, contents);
}
