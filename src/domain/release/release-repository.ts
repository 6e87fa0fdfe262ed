import { createHash } from 'node:crypto';
import semver from 'semver';
import { cycleThrough } from '../core/dependency-cycle.ts';
import { stringifyJson } from '../core/exact-json.ts';
import { at, isObject, listAt, objectAt, textAt } from '../core/read.ts';
import { specOf } from '../kind/kind.ts';
import type { StructuralSchema } from '../kind/structural-schema.ts';
import { isDnsLabel, OURS } from '../kubernetes/names.ts';
import { apiVersionOf, type KubeObject } from '../kubernetes/resource.ts';
import { CATALOG_RELEASE_KIND, type ReleaseSpec } from './catalog-release.ts';
import { parseReleaseFile, type ReleaseDocument, type ReleaseFault, type ReleaseFile, type ValuePath } from './release-yaml.ts';

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
  if (value === null || typeof value !== 'object') return stringifyJson(value) ?? 'null';
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

/** What the folder of a release says that its CatalogRelease must be. */
interface ExpectedRelease {
  readonly name: string;
  readonly version: string;
}

/** Reads the CatalogRelease of a folder as strictly as the api-server would, without one. */
function checkRelease(
  document: ReleaseDocument,
  expected: ExpectedRelease,
): { readonly spec: ReleaseSpec } | { readonly faults: readonly ReleaseFault[] } {
  const { content, fault } = document;
  const found: ReleaseFault[] = [];
  const expect = (path: ValuePath, wanted: string): void => {
    const value = at(content, ...path);
    if (value !== wanted) found.push(fault(path, `${path.join('.')} is ${stringifyJson(value) ?? 'missing'}; it must be ${wanted}`));
  };
  expect(['apiVersion'], apiVersionOf(CATALOG_RELEASE_KIND.type));
  expect(['kind'], CATALOG_RELEASE_KIND.type.kind);
  expect(['metadata', 'name'], expected.name);
  expect(['spec', 'version'], expected.version);
  if (semver.valid(expected.version) === null) found.push(fault(['spec', 'version'], 'spec.version is not a semantic version'));
  found.push(
    ...schemaFaults(CATALOG_RELEASE_KIND.spec.schema, at(content, 'spec'), ['spec']).map(([path, message]) => fault(path, message)),
  );
  if (found.length > 0) return { faults: found };
  const faults = [...rangeFaults(document), ...componentFaults(document)];
  if (
    textAt(content, 'spec', 'state') !== 'wip' &&
    at(content, 'spec', 'state') !== undefined &&
    textAt(content, 'spec', 'digest') === undefined
  ) {
    faults.push(fault(['spec', 'state'], 'spec.digest is required once the state is not wip; run chandlery release activate'));
  }
  return faults.length > 0 ? { faults } : { spec: specOf(CATALOG_RELEASE_KIND, content as unknown as KubeObject) };
}

type SchemaFault = readonly [ValuePath, string];

/** The part of the schema that can be checked without CEL: types, unknown and missing members, choices and patterns. */
function schemaFaults(schema: StructuralSchema, value: unknown, path: ValuePath): SchemaFault[] {
  const where = path.join('.');
  switch (schema.type) {
    case 'object': {
      if (!isObject(value)) return [[path, `${where} must be a map`]];
      if (schema.properties === undefined) return [];
      const missing = (schema.required ?? []).filter((name) => value[name] === undefined);
      const members = Object.entries(value).flatMap(([name, member]): SchemaFault[] => {
        const known = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
        return known === undefined ? [[[...path, name], `${where}.${name} is not a field`]] : schemaFaults(known, member, [...path, name]);
      });
      return [...missing.map((name): SchemaFault => [path, `${where}.${name} is missing`]), ...members];
    }
    case 'array':
      if (!Array.isArray(value)) return [[path, `${where} must be a list`]];
      return value.flatMap((item, index) => schemaFaults(schema.items ?? {}, item, [...path, index]));
    case 'string': {
      if (typeof value !== 'string') return [[path, `${where} must be text; put it into quotes`]];
      if (schema.enum !== undefined && !schema.enum.includes(value)) return [[path, `${where} must be one of ${schema.enum.join(', ')}`]];
      if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) return [[path, `${where} must match ${schema.pattern}`]];
      return value.length > (schema.maxLength ?? Infinity) ? [[path, `${where} is longer than ${schema.maxLength ?? 0} characters`]] : [];
    }
    case 'boolean':
    case 'integer':
    case 'number':
    case undefined:
      return [];
    default:
      return schema.type satisfies never;
  }
}

function rangeFaults({ content, fault }: ReleaseDocument): ReleaseFault[] {
  return listAt(content, 'spec', 'upgradesFrom').flatMap((range, index) =>
    typeof range === 'string' && semver.validRange(range) !== null
      ? []
      : [fault(['spec', 'upgradesFrom', index], `${stringifyJson(range)} is no version or range, such as >=20.0.0 <21.0.0`)],
  );
}

/** Names given twice, and dependencies that are unknown or go in a circle. */
function componentFaults({ content, fault }: ReleaseDocument): ReleaseFault[] {
  const components = listAt(content, 'spec', 'components').map((item) => objectAt(item));
  const names = components.map((item) => textAt(item, 'name') ?? '');
  const edges = new Map(components.map((item, index) => [names[index] ?? '', listAt(item, 'dependsOn').map(String)]));
  return components.flatMap((item, index) => {
    const at = ['spec', 'components', index];
    const name = names[index] ?? '';
    const faults: ReleaseFault[] = [];
    if (names.indexOf(name) < index) faults.push(fault([...at, 'name'], `the component ${name} is there twice; keep one`));
    listAt(item, 'dependsOn').forEach((needed, place) => {
      if (!names.includes(String(needed)))
        faults.push(fault([...at, 'dependsOn', place], `${String(needed)} is no component of this release`));
    });
    const cycle = cycleThrough(name, edges);
    if (cycle !== undefined) faults.push(fault([...at, 'dependsOn'], `dependencies go in a circle: ${cycle.join(' → ')}`));
    return faults;
  });
}
