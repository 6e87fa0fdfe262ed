import { createHash } from 'node:crypto';
import { at, listAt, objectAt, textAt } from '../core/read.ts';
import { isDnsLabel, OURS } from '../kubernetes/names.ts';
import type { ReleaseSpec } from './catalog-release.ts';
import { checkRelease } from './check-release.ts';
import { parseReleaseFile, type ReleaseDocument, type ReleaseFault, type ReleaseFile } from './release-yaml.ts';

/** The files of `base/` or `overlay/` by their path in it, without `kustomization.yaml`. */
export type LayerFiles = ReadonlyMap<string, ReleaseFile>;

/** `releases/vX.Y.Z/` or `<provider>/vX.Y.Z/`. */
export interface ReleaseFolder {
  readonly folder: string;
  /** The name of its CatalogRelease: `v21.0.0` or `aws-v21.0.0`. */
  readonly name: string;
  /** Empty for `releases/`. */
  readonly provider: string;
  readonly definition: ReleaseDocument;
  /** Of release.yaml. */
  readonly text: string;
  readonly spec: ReleaseSpec;
  readonly base: LayerFiles;
  readonly overlay: LayerFiles;
  /** Of its content as it is now. */
  readonly digest: string;
}

/** `<installation>/<cluster or environment>/`. */
export interface TargetFolder {
  readonly folder: string;
  /** `installation.cluster`, as a label has it. */
  readonly name: string;
  readonly base: LayerFiles;
  readonly overlay: LayerFiles;
  readonly baseKustomization?: ReleaseFile;
  readonly overlayKustomization?: ReleaseFile;
  /** The release that base was generated from; absent before the first. */
  readonly release?: RecordedRelease;
}

/** What `base/kustomization.yaml` says of the release. */
interface RecordedRelease {
  readonly name: string;
  /** Of the content of the release when base was generated. */
  readonly digest?: string;
  /** Components that come from another release, by name: they were upgraded on their own. */
  readonly components: ReadonlyMap<string, string>;
  readonly fault: (message: string) => ReleaseFault;
}

/** A git repository with releases and what runs them. */
export interface ReleaseRepository {
  readonly releases: readonly ReleaseFolder[];
  readonly targets: readonly TargetFolder[];
  /** Sorted by place. A release with a fault of its own is not among the releases. */
  readonly faults: readonly ReleaseFault[];
}

export const KUSTOMIZATION = 'kustomization.yaml';
export const RELEASE_FILE = 'release.yaml';
/** Annotations of base/kustomization.yaml. */
export const DIGEST_ANNOTATION = 'chandlery.dev/release-digest';
export const COMPONENTS_ANNOTATION = 'chandlery.dev/release-components';
/** Releases without a provider. */
const DEFAULT_FOLDER = 'releases';
const VERSION_FOLDER = /^v\d+\.\d+\.\d+/;
const YAML_FILE = /\.ya?ml$/;

/** Reads the layout of a repository. @param texts of its YAML files, by their path from the root, with slashes. */
export function readReleaseRepository(texts: ReadonlyMap<string, string>): ReleaseRepository {
  const folders = Map.groupBy([...texts.keys()].sort(), (path) => path.split('/').slice(0, 2).join('/'));
  const found = [...folders].map(([folder, paths]) => readFolder(folder, { texts, paths }));
  const faults = found.flatMap((each) => each.faults);
  return {
    releases: found.flatMap(({ release }) => (release === undefined ? [] : [release])),
    targets: found.flatMap(({ target }) => (target === undefined ? [] : [target])),
    faults: faults.toSorted((a, b) => (a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1)),
  };
}

/** `v21.0.0` of `releases`, `aws-v21.0.0` of the provider `aws`. */
export function releaseName(provider: string, version: string): string {
  return provider === '' ? version : `${provider}-${version}`;
}

/** The folder of a release of a provider; the empty one has `releases/`. */
export function releaseFolder(provider: string, version: string): string {
  return `${provider === '' ? DEFAULT_FOLDER : provider}/${version}`;
}

interface FolderInput {
  readonly texts: ReadonlyMap<string, string>;
  readonly paths: readonly string[];
}

interface FolderReading {
  readonly release?: ReleaseFolder;
  readonly target?: TargetFolder;
  readonly faults: readonly ReleaseFault[];
}

function readFolder(folder: string, { texts, paths }: FolderInput): FolderReading {
  const [first = '', second = ''] = folder.split('/');
  const isRelease = VERSION_FOLDER.test(second);
  const isTarget = !isRelease && paths.some((path) => path.startsWith(`${folder}/base/`));
  if (!isRelease && !isTarget) return { faults: [] };
  const parsed = paths.map((path) => parseReleaseFile(path, texts.get(path) ?? ''));
  const faults = parsed.flatMap((file) => file.faults);
  const files = new Map(parsed.map((file) => [file.path, file]));
  if (isRelease) {
    const provider = first === DEFAULT_FOLDER ? '' : first;
    const read = readRelease({ folder, provider, version: second, files });
    return {
      ...(faults.length === 0 && 'spec' in read ? { release: read } : {}),
      faults: 'faults' in read ? [...faults, ...read.faults] : faults,
    };
  }
  if (isDnsLabel(first) && isDnsLabel(second)) return { target: readTarget(folder, files), faults };
  const message = 'the names of an installation and its cluster or environment must be lower-case letters, digits and hyphens';
  return { faults: [...faults, { file: folder, line: 0, column: 0, message }] };
}

interface ReleaseInput {
  readonly folder: string;
  readonly provider: string;
  readonly version: string;
  readonly files: ReadonlyMap<string, ReleaseFile>;
}

function readRelease({ folder, provider, version, files }: ReleaseInput): ReleaseFolder | { readonly faults: readonly ReleaseFault[] } {
  const file = `${folder}/${RELEASE_FILE}`;
  const [definition, ...others] = files.get(file)?.documents ?? [];
  if (definition === undefined || others.length > 0) {
    return { faults: [{ file, line: 0, column: 0, message: 'the release has no CatalogRelease; the file must hold exactly one' }] };
  }
  const name = releaseName(provider, version);
  const checked = checkRelease(definition, { name, version });
  if ('faults' in checked) return checked;
  const { spec } = checked;
  const [base, overlay] = [layerOf(files, `${folder}/base/`), layerOf(files, `${folder}/overlay/`)];
  const text = files.get(file)?.text ?? '';
  return { folder, name, provider, definition, text, spec, base, overlay, digest: digestOf(definition, { folder, files }) };
}

/** Of everything but the state and the digest itself: the spec as canonical JSON, and the bytes of all other files. */
function digestOf({ content }: ReleaseDocument, { folder, files }: Pick<ReleaseInput, 'folder' | 'files'>): string {
  const { state: _state, digest: _digest, ...spec } = objectAt(content, 'spec');
  const hash = createHash('sha256').update(canonical(spec));
  for (const [path, { text }] of [...files].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (path !== `${folder}/${RELEASE_FILE}`)
      hash.update(`\n${path.slice(folder.length)} ${createHash('sha256').update(text).digest('hex')}`);
  }
  return `sha256:${hash.digest('hex')}`;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}

function layerOf(files: ReadonlyMap<string, ReleaseFile>, prefix: string): LayerFiles {
  const own = [...files].filter(([path]) => path.startsWith(prefix) && YAML_FILE.test(path) && path !== `${prefix}${KUSTOMIZATION}`);
  return new Map(own.map(([path, file]) => [path.slice(prefix.length), file]));
}

function readTarget(folder: string, files: ReadonlyMap<string, ReleaseFile>): TargetFolder {
  const [baseKustomization, overlayKustomization] = ['base', 'overlay'].map((layer) => files.get(`${folder}/${layer}/${KUSTOMIZATION}`));
  const release = recordedRelease(baseKustomization);
  return {
    folder,
    name: folder.replace('/', '.'),
    base: layerOf(files, `${folder}/base/`),
    overlay: layerOf(files, `${folder}/overlay/`),
    ...(baseKustomization === undefined ? {} : { baseKustomization }),
    ...(overlayKustomization === undefined ? {} : { overlayKustomization }),
    ...(release === undefined ? {} : { release }),
  };
}

function recordedRelease(kustomization: ReleaseFile | undefined): RecordedRelease | undefined {
  const [document] = kustomization?.documents ?? [];
  if (document === undefined) return undefined;
  const { content, fault } = document;
  const index = listAt(content, 'labels').findIndex((item) => textAt(item, 'pairs', OURS.releaseLabel) !== undefined);
  const name = textAt(listAt(content, 'labels')[index], 'pairs', OURS.releaseLabel);
  if (name === undefined) return undefined;
  const annotations = at(content, 'metadata', 'annotations');
  const digest = textAt(annotations, DIGEST_ANNOTATION);
  const pairs = (textAt(annotations, COMPONENTS_ANNOTATION) ?? '').split(',').flatMap((pair): [string, string][] => {
    const [component = '', release] = pair.trim().split('=');
    return release === undefined ? [] : [[component, release]];
  });
  return {
    name,
    ...(digest === undefined ? {} : { digest }),
    components: new Map(pairs),
    fault: (message) => fault(['labels', index, 'pairs', OURS.releaseLabel], message),
  };
}
