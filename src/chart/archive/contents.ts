import { otherEncoding } from '../../domain/yaml/decode-text.ts';
import { AppError, messageOf } from '../../domain/core/errors.ts';
import { type Changelog, changelogOf } from '../../domain/chart/changelog.ts';
import { comparableVersion } from '../../domain/chart/comparable-version.ts';
import type { ImportedValues, Subchart } from '../../domain/chart/subcharts.ts';
import { parseYamlDocument } from '../../domain/core/bounded-yaml.ts';
import { parseManifest } from '../../domain/kubernetes/manifest.ts';
import type { Json, JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { chartHints, type ChartHints, type HintSources } from '../../schema/hints/chart-hints.ts';
import type { ChartFiles } from './archive.ts';
import { isObject, listAt, textAt } from '../../domain/core/read.ts';
import type { SubchartTemplates } from '../../schema/hints/templates/values-in-templates.ts';

export interface ChartDependency {
  readonly name: string;
  readonly version: string;
  readonly repository: string;
  readonly alias?: string;
  readonly condition?: string;
  readonly tags?: readonly string[];
  /** Values that the parent imports (`import-values`). */
  readonly importValues?: readonly ImportedValues[];
}

/** Chart.yaml. */
export interface ChartMetadata {
  readonly name: string;
  readonly version: string;
  readonly appVersion?: string;
  readonly description?: string;
  /** An https address or a `data:image/…` address; anything else is left out. */
  readonly icon?: string;
  readonly home?: string;
  /** The range of Kubernetes versions that the chart asks for. */
  readonly kubeVersion?: string;
  /** Whether its authors have given it up; absent: no. */
  readonly deprecated?: true;
  readonly keywords: readonly string[];
  /** Absent when its authors say nothing of this version. */
  readonly changelog?: Changelog;
  readonly maintainers: readonly { readonly name: string; readonly email?: string; readonly url?: string }[];
  readonly dependencies: readonly ChartDependency[];
}

/** What we read out of a chart. All of it is foreign: hostile until shown otherwise. */
export interface ChartContents {
  readonly metadata: ChartMetadata;
  readonly values: JsonObject;
  /** values.yaml as it is written, for its comments; empty when there is none. */
  readonly valuesText: string;
  /** The values of the chart's tests in `ci/`. */
  readonly ciValues: readonly JsonObject[];
  /** values.schema.json. */
  readonly schema?: JsonObject;
  /** The charts in `charts/`, packed or as folders; read only where one of them has a values.schema.json. */
  readonly subcharts: readonly Subchart[];
  /** Markdown, at most 512 KiB; empty when there is none. */
  readonly readme: string;
  /** The objects in the chart's own `crds/`, in Helm's order. */
  readonly crds: readonly KubeObject[];
  /** Names of all files, sorted. */
  readonly files: readonly string[];
  /** The text of `openapispec.json`, by which charts of 2018 described their kinds. */
  readonly openApiSpec?: string;
  /** What templates, comments and examples tell of the values. The templates themselves are not kept. */
  readonly hints: ChartHints;
}

const README_BYTES = 512 * 1024;
const SCHEMA_DEPTH = 256;
const CRD_FILE = /^crds\/.*\.(ya?ml|json)$/;
/** What is read of charts inside of the chart. */
const SUBCHART_FILE = /^(?:charts\/[^/]+\/)+(?:Chart\.yaml|values\.yaml|values\.schema\.json|requirements\.yaml)$/;
/** What tells of values. */
const TEMPLATE = /^templates\/.*\.(?:ya?ml|tpl)$/;
const SUBCHART_TEMPLATE = /^(?:charts\/[^/]+\/)+templates\/.*\.(?:ya?ml|tpl)$/;
const LIBRARY = /^(?:charts\/[^/]+\/)+templates\/(?:.*\/)?_[^/]*\.tpl$/;
const CI_VALUES = /^ci\/[^/]+\.ya?ml$/;
const DEEPEST_SUBCHART = 8;
const READ = new Set(['Chart.yaml', 'values.yaml', 'values.schema.json', 'requirements.yaml', 'openapispec.json']);

/** Whether the content of the file is needed for `readContents`. */
export function isContentFile(name: string): boolean {
  return (
    READ.has(name) || isReadme(name) || [CRD_FILE, SUBCHART_FILE, TEMPLATE, SUBCHART_TEMPLATE, CI_VALUES].some((file) => file.test(name))
  );
}

/**
 * Reads the files of a chart.
 *
 * @throws AppError `ChartInvalid`, as a clause that names the file but not the address: the caller adds it.
 */
export function readContents({ names, contents }: ChartFiles): ChartContents {
  rejectOtherEncodings(contents);
  const textOf = (name: string) => contents.get(name)?.toString('utf8');
  const chartYaml = textOf('Chart.yaml');
  if (chartYaml === undefined) throw invalid('there is no Chart.yaml in it, so it is not a chart');
  const readmeName = names.find((name) => isReadme(name));
  const schemaText = textOf('values.schema.json');
  const openApiSpec = textOf('openapispec.json');
  const valuesText = textOf('values.yaml') ?? '';
  const values = mapIn('values.yaml', valuesText);
  const { ciValues, ...hintSources } = hintFiles(contents);
  const crds = names.filter((name) => CRD_FILE.test(name)).flatMap((name) => attributed(name, () => parseManifest(textOf(name) ?? '')));
  return {
    metadata: readMetadata(mapIn('Chart.yaml', chartYaml), mapIn('requirements.yaml', textOf('requirements.yaml') ?? '')),
    values,
    valuesText,
    ciValues,
    ...(schemaText === undefined ? {} : { schema: schemaIn(schemaText) }),
    subcharts: [...contents.keys()].some((name) => /(^|\/)values\.schema\.json$/.test(name))
      ? readSubcharts(textOf, [...contents.keys()].sort(), '')
      : [],
    readme: readmeName === undefined ? '' : (contents.get(readmeName)?.subarray(0, README_BYTES).toString('utf8') ?? ''),
    crds,
    files: names,
    ...(openApiSpec === undefined ? {} : { openApiSpec }),
    hints: chartHints({
      valuesText,
      values,
      crds,
      ...hintSources,
      ciValues,
      subcharts: subchartTemplates([...contents.keys()].sort(), textOf),
    }),
  };
}

/** Helm reads some of these files in UTF-16, and others not. In Latin-1, it lets comments pass. */
function rejectOtherEncodings(contents: ChartFiles['contents']): void {
  for (const [name, content] of contents) {
    const encoding = isReadme(name) ? undefined : otherEncoding(content);
    if (encoding !== undefined) throw invalid(`${name}: it is ${encoding} text: save it as UTF-8`);
  }
}

function hintFiles(
  contents: ChartFiles['contents'],
): Pick<HintSources, 'templates' | 'libraries'> & { readonly ciValues: readonly JsonObject[] } {
  const named = (pattern: RegExp): ReadonlyMap<string, string> =>
    new Map([...contents].filter(([name]) => pattern.test(name)).map(([name, content]) => [name, content.toString('utf8')]));
  const ciValues = [...named(CI_VALUES).values()].flatMap((text) => valuesIn(text));
  return { templates: named(TEMPLATE), libraries: named(LIBRARY), ciValues };
}

/** What is in `ci/` is for tests of the chart: it may be anything. */
function valuesIn(text: string): readonly JsonObject[] {
  try {
    const values = parseYamlDocument(text);
    return isMap(values) ? [values] : [];
  } catch {
    return [];
  }
}

/** The charts in the folder `charts/` of a chart. Folders that Helm passes over begin with a dot or an underscore. */
function readSubcharts(textOf: (name: string) => string | undefined, names: readonly string[], parent: string): readonly Subchart[] {
  if (parent.split('charts/').length > DEEPEST_SUBCHART)
    throw invalid(`${parent}charts: charts are nested more than ${DEEPEST_SUBCHART} levels deep`);
  const below = names.filter((name) => name.startsWith(`${parent}charts/`)).map((name) => name.slice(`${parent}charts/`.length).split('/'));
  const folders = [...new Set(below.flatMap(([folder = '', ...rest]) => (rest.length > 0 && !/^[._]/.test(folder) ? [folder] : [])))];
  return folders.flatMap((folder) => {
    const at = `${parent}charts/${folder}/`;
    const chartYaml = textOf(`${at}Chart.yaml`);
    if (chartYaml === undefined) return [];
    const chart = mapIn(`${at}Chart.yaml`, chartYaml);
    const schemaText = textOf(`${at}values.schema.json`);
    return [
      {
        name: textIn(chart, 'name') ?? folder,
        version: textIn(chart, 'version') ?? '',
        dependencies: readDependencies(chart, mapIn(`${at}requirements.yaml`, textOf(`${at}requirements.yaml`) ?? '')),
        values: mapIn(`${at}values.yaml`, textOf(`${at}values.yaml`) ?? ''),
        ...(schemaText === undefined ? {} : { schema: schemaIn(schemaText) }),
        subcharts: readSubcharts(textOf, names, at),
      },
    ];
  });
}

function isReadme(name: string): boolean {
  return /^readme\.(md|markdown)$/i.test(name);
}

function readMetadata(chart: JsonObject, requirements: JsonObject): ChartMetadata {
  const name = textIn(chart, 'name') ?? '';
  const version = textIn(chart, 'version') ?? '';
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) || name.length > 250)
    throw invalid(`Chart.yaml: the name ${JSON.stringify(name)} is not a chart name`);
  if (comparableVersion(version) === undefined)
    throw invalid(`Chart.yaml: the version ${JSON.stringify(version)} is not a semantic version`);
  if (chart['type'] === 'library') throw invalid('Chart.yaml: a chart of type "library" cannot be installed alone');
  const icon = textIn(chart, 'icon');
  const changelog = changelogOf(chart['annotations']);
  return {
    name,
    version,
    ...texts(chart, ['appVersion', 'description', 'home', 'kubeVersion']),
    ...(chart['deprecated'] === true ? { deprecated: true as const } : {}),
    ...(icon !== undefined && /^(https:\/\/|data:image\/)/i.test(icon) ? { icon } : {}),
    ...(changelog === undefined ? {} : { changelog }),
    keywords: list(chart['keywords']).flatMap((word) => (typeof word === 'string' ? [word] : [])),
    maintainers: maps(chart['maintainers']).map((person) => ({ name: textIn(person, 'name') ?? '', ...texts(person, ['email', 'url']) })),
    dependencies: readDependencies(chart, requirements),
  };
}

function readDependencies(chart: JsonObject, requirements: JsonObject): ChartDependency[] {
  return [...maps(chart['dependencies']), ...maps(requirements['dependencies'])].map((dependency) => {
    const tags = list(dependency['tags']).flatMap((tag) => (typeof tag === 'string' ? [tag] : []));
    return {
      name: textIn(dependency, 'name') ?? '',
      version: textIn(dependency, 'version') ?? '',
      repository: textIn(dependency, 'repository') ?? '',
      ...texts(dependency, ['alias', 'condition']),
      ...(tags.length === 0 ? {} : { tags }),
      ...importsOf(dependency['import-values']),
    };
  });
}

/** Helm takes a map of two paths, or the name of one of the `exports` of the subchart. */
function importsOf(said: Json | undefined): Pick<ChartDependency, 'importValues'> {
  const importValues = list(said).flatMap((one): readonly ImportedValues[] => {
    if (typeof one === 'string') return [{ child: `exports.${one}`, parent: '.' }];
    return isMap(one) ? [{ child: textIn(one, 'child') ?? '', parent: textIn(one, 'parent') ?? '' }] : [];
  });
  return importValues.length === 0 ? {} : { importValues };
}

function mapIn(file: string, text: string): JsonObject {
  const value = attributed(file, () => parseYamlDocument(text));
  if (value === null) return {};
  if (!isMap(value)) throw invalid(`${file}: it does not hold a map`);
  return value;
}

/** Whoever works with the schema recurses. Counted before it is parsed, outside of strings. */
function isTooDeep(json: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length && depth <= SCHEMA_DEPTH; at += 1) {
    const sign = json[at];
    if (sign === '"') isText = !isText;
    else if (isText) at += sign === '\\' ? 1 : 0;
    else if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
  }
  return depth > SCHEMA_DEPTH;
}

function schemaIn(text: string): JsonObject {
  if (isTooDeep(text)) throw invalid(`values.schema.json: it is nested more than ${SCHEMA_DEPTH} levels deep`);
  try {
    const value = JSON.parse(text) as Json;
    if (isMap(value)) return value;
  } catch (error) {
    throw invalid(`values.schema.json: it is not JSON: ${messageOf(error)}`, error);
  }
  throw invalid('values.schema.json: it does not hold an object');
}

function attributed<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw invalid(`${file}: ${messageOf(error).replace(/^(yaml|manifest): /, '')}`, error);
  }
}

function isMap(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function maps(value: Json | undefined): JsonObject[] {
  return list(value).filter(isMap);
}

/** Versions that look like numbers are written without quotes all over the world. */
function textIn(map: JsonObject, key: string): string | undefined {
  const value = map[key];
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function texts<K extends string>(map: JsonObject, keys: readonly K[]): { [P in K]?: string } {
  const found: { [P in K]?: string } = {};
  for (const key of keys) {
    const text = textIn(map, key);
    if (text !== undefined) found[key] = text;
  }
  return found;
}

function invalid(why: string, cause?: unknown): AppError {
  return new AppError('ChartInvalid', why, { cause });
}

type TextOf = (name: string) => string | undefined;

/** What a library defines is not rendered by itself. */
const RENDERED = /^templates\/(?:.*\/)?[^_/][^/]*\.(?:ya?ml|tpl)$/;
const DEEPEST = 3;
const MAX_PLACES = 100;
/** As much as counts of all templates of a chart. */
const MAX_CHARACTERS = 2 * 1024 * 1024;

/**
 * The templates of the charts in the folder `charts/`, with where the values that each of them gets stand in those of the chart: by alias, else by name.
 * A subchart that says nothing readable of itself goes by the name of its folder.
 *
 * @param names of the files that were read.
 */
function subchartTemplates(names: readonly string[], textOf: TextOf): readonly SubchartTemplates[] {
  return below({ names, textOf, room: { characters: MAX_CHARACTERS } }, { folder: '', places: [[]] });
}

interface Files {
  readonly names: readonly string[];
  readonly textOf: TextOf;
  /** What may still be read of templates. */
  readonly room: { characters: number };
}

interface Parent {
  /** Ends with a slash; empty for the chart itself. */
  readonly folder: string;
  /** The keys that lead to its values. */
  readonly places: readonly (readonly string[])[];
}

function below(files: Files, parent: Parent): readonly SubchartTemplates[] {
  if (parent.folder.split('charts/').length > DEEPEST) return [];
  const start = `${parent.folder}charts/`;
  const inside = files.names.filter((name) => name.startsWith(start));
  const folders = new Set(inside.flatMap((name) => folderOf(name.slice(start.length))));
  const dependencies = ['Chart.yaml', 'requirements.yaml'].flatMap((file) =>
    listAt(read(files, `${parent.folder}${file}`), 'dependencies'),
  );
  return [...folders].flatMap((name): readonly SubchartTemplates[] => {
    const folder = `${start}${name}/`;
    const keys = keysOf(textAt(read(files, `${folder}Chart.yaml`), 'name') ?? name, dependencies);
    const places = parent.places.flatMap((place) => keys.map((key) => [...place, key])).slice(0, MAX_PLACES);
    const own = inside.filter((file) => file.startsWith(folder) && RENDERED.test(file.slice(folder.length)));
    const templates = new Map(own.flatMap((file) => templateIn(files, file)));
    return [{ places, templates }, ...below({ ...files, names: inside }, { folder, places })];
  });
}

function templateIn({ textOf, room }: Files, file: string): [string, string][] {
  if (room.characters <= 0) return [];
  const text = textOf(file) ?? '';
  room.characters -= text.length;
  return [[file, text]];
}

/** Folders that Helm passes over begin with a dot or an underscore. */
function folderOf(path: string): string[] {
  const [folder = '', ...rest] = path.split('/');
  return rest.length > 0 && !/^[._]/.test(folder) ? [folder] : [];
}

/** One subchart can be there under several aliases. */
function keysOf(name: string, dependencies: readonly unknown[]): string[] {
  const listed = dependencies.filter((dependency) => textAt(dependency, 'name') === name);
  return listed.length === 0 ? [name] : [...new Set(listed.map((dependency) => textAt(dependency, 'alias') ?? name))];
}

function read({ textOf }: Files, name: string): unknown {
  try {
    const value = parseYamlDocument(textOf(name) ?? '');
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
