import { isNewer } from '../chart/chart-version.ts';
import type { JsonObject } from '../kubernetes/resource.ts';
import { applyLayers, type BaseResource, type DefaultApp, defaultAppsOf, isOfComponent, layersFor } from './apply-release.ts';
import { addressOf, baseEdit, type BaseEdit, type BaseValueChange, changedValues, editOver } from './base-edits.ts';
import { checkUpgrade, type UpgradeRequest } from './check-upgrade.ts';
import { baseKustomization, type BaseRecord, overlayKustomization, patchOverlay } from './kustomization.ts';
import { KUSTOMIZATION, type ReleaseFolder, type ReleaseRepository, type TargetFolder } from './release-repository.ts';
import { editText, releaseRejected, type ReleaseFault, resourceIdOf, writeDocument } from './release-yaml.ts';

/** A file that is written, or deleted where there is no text after it. Paths are relative to the root of the repository. */
export interface FileChange {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

export interface TargetUpgrade {
  readonly target: string;
  /** Absent for the first release of a target. */
  readonly from?: string;
  readonly to: string;
  readonly only?: string;
  /** Sorted by path; kustomization files last, so that they name nothing that is not there. */
  readonly changes: readonly FileChange[];
  readonly values: readonly BaseValueChange[];
  /** Edits found in base that are now in overlay. */
  readonly moved: readonly (BaseEdit & { readonly overlay: string })[];
  /** Sentences about what a person should know. */
  readonly notes: readonly string[];
}

/**
 * What the tree must become for a target to run another release: base is generated anew, edits found in it move to overlay, and the release in
 * base/kustomization.yaml becomes the new one. Writes nothing.
 *
 * @throws AppError `ReleaseRejected` with a fault for each reason, with file and line; `NotFound`.
 */
export function upgradeTarget(repository: ReleaseRepository, request: UpgradeRequest): TargetUpgrade {
  const { target, to, from, notes } = checkUpgrade(repository, request);
  const only = request.only === undefined ? {} : { only: request.only };
  const pinned = request.only === undefined ? pinsAfter(target, { to, repository }) : new Map<string, ReleaseFolder>();
  const generated = generateBase({ repository, target, from, to, pinned, ...only });
  const overlay = patchOverlay(target, generated.edits);
  const resources = [...generated.resources.values()].flat();
  checkOverlay(target, { resources, to });
  const record = recordAfter(target, { to, pinned, ...only });
  const files = [...generated.resources].flatMap(([file, contents]) => (contents.length === 0 ? [] : [file]));
  const written: FileChange[] = [
    ...generated.files.map(({ file, text }) => change(`${target.folder}/base/${file}`, target.base.get(file)?.text, text)),
    ...overlay.files.map(({ file, text }) => change(`${target.folder}/overlay/${file}`, target.overlay.get(file)?.text, text)),
    kustomizationChange(target, 'base', baseKustomization(target, record, files)),
    kustomizationChange(target, 'overlay', overlayKustomization(target, overlay.texts, resources)),
  ];
  const stays = [...pinned].map(([name, release]) => `${name} stays at ${release.name}, which is newer: it was upgraded on its own`);
  return {
    target: target.folder,
    ...(from === undefined ? {} : { from: from.name }),
    to: to.name,
    ...only,
    changes: written.filter(({ before, after }) => before !== after),
    values: generated.values,
    moved: overlay.moved,
    notes: [...notes, ...stays],
  };
}

interface RecordInput {
  readonly to: ReleaseFolder;
  readonly pinned: ReadonlyMap<string, ReleaseFolder>;
  readonly only?: string;
}

function recordAfter({ release }: TargetFolder, { to, pinned, only }: RecordInput): BaseRecord {
  if (only === undefined || release === undefined) {
    return { release: to.name, digest: to.digest, components: new Map([...pinned].map(([name, one]) => [name, one.name])) };
  }
  return { release: release.name, digest: release.digest ?? '', components: new Map([...release.components, [only, to.name]]) };
}

function kustomizationChange(target: TargetFolder, layer: 'base' | 'overlay', after: string): FileChange {
  const file = layer === 'base' ? target.baseKustomization : target.overlayKustomization;
  return change(`${target.folder}/${layer}/${KUSTOMIZATION}`, file?.text, after);
}

/** Components that were upgraded on their own to something newer than the release stay where they are. */
function pinsAfter(
  target: TargetFolder,
  { to, repository }: { to: ReleaseFolder; repository: ReleaseRepository },
): Map<string, ReleaseFolder> {
  const pins = [...(target.release?.components ?? [])].flatMap(([component, name]): [string, ReleaseFolder][] => {
    const release = repository.releases.find((one) => one.name === name);
    return release !== undefined && isNewer(release.spec.version, to.spec.version) ? [[component, release]] : [];
  });
  return new Map(pins);
}

interface GenerateInput {
  readonly repository: ReleaseRepository;
  readonly target: TargetFolder;
  readonly from: ReleaseFolder | undefined;
  readonly to: ReleaseFolder;
  readonly pinned: ReadonlyMap<string, ReleaseFolder>;
  readonly only?: string;
}

interface GeneratedBase {
  /** Files that change; without text they are deleted. */
  readonly files: readonly { readonly file: string; readonly text: string | undefined }[];
  /** All of base afterwards. */
  readonly resources: ReadonlyMap<string, readonly JsonObject[]>;
  readonly edits: readonly BaseEdit[];
  readonly values: readonly BaseValueChange[];
}

function generateBase(input: GenerateInput): GeneratedBase {
  const { target, to } = input;
  const apps = defaultAppsOf(to).filter((app) => isTouched(input, app));
  const files = [...new Set([...target.base.keys(), ...apps.map(({ file }) => file)])].sort();
  const known = new Set([...target.base.values()].flatMap(({ documents }) => documents.map(({ content }) => resourceIdOf(content))));
  const fresh = apps.filter(({ id }) => !known.has(id));
  const generated = files.map((file) => generateFile(input, { file, fresh: fresh.filter((app) => app.file === file) }));
  return {
    files: generated.filter(({ file, text }) => text !== target.base.get(file)?.text),
    resources: new Map(generated.map(({ file, contents }) => [file, contents])),
    edits: [...generated.flatMap(({ edits }) => edits), ...removedApps(input, known)],
    values: generated.flatMap(({ values }) => values),
  };
}

function isTouched({ only, pinned }: GenerateInput, resource: Pick<BaseResource, 'file' | 'content'>): boolean {
  if (only !== undefined) return isOfComponent(resource, only);
  return ![...pinned.keys()].some((component) => isOfComponent(resource, component));
}

interface GeneratedFile {
  readonly file: string;
  readonly text: string | undefined;
  readonly contents: readonly JsonObject[];
  readonly edits: readonly BaseEdit[];
  readonly values: readonly BaseValueChange[];
}

function generateFile(input: GenerateInput, { file, fresh }: { file: string; fresh: readonly DefaultApp[] }): GeneratedFile {
  const before = input.target.base.get(file);
  const documents = before?.documents ?? [];
  const done = documents.map(({ content }) => generateResource(input, { file, content, siblings: documents.length }));
  const kept = done.flatMap(({ after }) => (after === undefined ? [] : [after]));
  const texts =
    before === undefined || kept.length === 0
      ? []
      : [kept.length === documents.length ? editText(before.text, kept) : kept.map((one) => writeDocument(one)).join('---\n')];
  const text =
    documents.length === 0
      ? freshText(input.to, file, fresh)
      : [...texts, ...fresh.map(({ content }) => writeDocument(content))].join('---\n');
  return {
    file,
    text: text === '' ? undefined : text,
    contents: [...kept, ...fresh.map(({ content }) => content)],
    edits: done.flatMap(({ edit }) => (edit === undefined ? [] : [edit])),
    values: done.flatMap(({ values }) => values),
  };
}

/** A file that the target does not have yet: as the release has it, comments included, with all of its layers. */
function freshText({ base }: ReleaseFolder, file: string, fresh: readonly DefaultApp[]): string {
  const source = base.get(file);
  const contents = fresh.map(({ content }) => content);
  if (source?.documents.length === fresh.length) return editText(source.text, contents);
  return contents.map((content) => writeDocument(content)).join('---\n');
}

interface GeneratedResource {
  readonly after: JsonObject | undefined;
  readonly edit?: BaseEdit;
  readonly values: readonly BaseValueChange[];
}

function generateResource(input: GenerateInput, resource: BaseResource): GeneratedResource {
  const { content, file } = resource;
  const id = resourceIdOf(content) ?? file;
  if (!isTouched(input, resource)) return { after: content, values: [] };
  const earlier = sourceOf(input, resource);
  const [appBefore, appAfter] = [earlier, input.to].map((release) => release && defaultAppsOf(release).find((app) => app.id === id));
  const generated = appBefore?.content ?? (earlier === undefined ? content : applyLayers(content, layersFor(earlier, resource)));
  const found = baseEdit({ file, current: content, generated });
  if (appBefore !== undefined && appAfter === undefined)
    return { after: undefined, ...(found === undefined ? {} : { edit: found }), values: [] };
  const after = appBefore !== undefined && appAfter !== undefined ? appAfter.content : applyLayers(content, layersFor(input.to, resource));
  const edit = found === undefined ? undefined : editOver(found, after);
  return { after, ...(edit === undefined ? {} : { edit }), values: changedValues(file, content, after) };
}

/** The release that a resource in base was generated from. */
function sourceOf({ repository, target, from }: GenerateInput, resource: BaseResource): ReleaseFolder | undefined {
  const own = [...(target.release?.components ?? [])].find(([component]) => isOfComponent(resource, component));
  return own === undefined ? from : repository.releases.find(({ name }) => name === own[1]);
}

/** A default app that somebody deleted from base: the release brings it again, and overlay takes it away. */
function removedApps(input: GenerateInput, known: ReadonlySet<string | undefined>): BaseEdit[] {
  const { from, to } = input;
  if (from === undefined) return [];
  const stays = new Set(
    defaultAppsOf(to)
      .filter((app) => isTouched(input, app))
      .map(({ id }) => id),
  );
  return defaultAppsOf(from).flatMap(({ file, id, content }): BaseEdit[] =>
    stays.has(id) && !known.has(id) ? [{ file, address: addressOf(content), patch: { $patch: 'delete' }, paths: ['$patch'] }] : [],
  );
}

interface OverlayCheck {
  readonly resources: readonly JsonObject[];
  readonly to: ReleaseFolder;
}

/** A patch for what the new release does not bring would stop kustomize. */
function checkOverlay(target: TargetFolder, { resources, to }: OverlayCheck): void {
  const ids = new Set(resources.map(resourceIdOf));
  const before = new Set([...target.base.values()].flatMap(({ documents }) => documents.map(({ content }) => resourceIdOf(content))));
  const faults = [...target.overlay.values()].flatMap(({ documents }) =>
    documents.flatMap(({ content, fault }): ReleaseFault[] => {
      const id = resourceIdOf(content);
      if (id === undefined || !before.has(id) || ids.has(id)) return [];
      return [
        fault([], `it patches ${id}, which ${to.name} does not bring any more: delete the patch, or move the file from base to overlay`),
      ];
    }),
  );
  if (faults.length > 0) throw releaseRejected(faults);
}

function change(path: string, before: string | undefined, after: string | undefined): FileChange {
  return { path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
}
