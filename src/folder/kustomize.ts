import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { execa, ExecaError } from 'execa';
import { isObject, listAt, textAt } from '../domain/core/read.ts';
import type { SourceFault } from '../domain/source/catalog-source.ts';
import { parseFiles } from './parse-files.ts';
import { located, type ParsedFile, parsePlainFile, type SourceDocument } from '../domain/source/parse-file.ts';

const NAMES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];
const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAX_MEMORY_KIB = 2 * 1024 * 1024;
const MAX_KUSTOMIZATIONS = 500;
/** By this annotation kustomize tells where an object came from. */
const ORIGIN = 'config.kubernetes.io/origin';

/** The name of the file that makes a folder a kustomization; undefined when it is none. */
export function kustomizationIn(folder: string): string | undefined {
  return NAMES.find((name) => existsSync(join(folder, name)));
}

export interface KustomizeInput {
  /** The program. */
  readonly kubectl: string;
  /** What may be read: nothing outside of it. */
  readonly root: string;
  /** The folder of the kustomization, in `root`. */
  readonly path: string;
}

/**
 * Renders a kustomization by `kubectl kustomize`. Each object has the file and the lines of the document that it came from, as far as kustomize tells. Nothing is
 * fetched: what a kustomization names has to be in the folder.
 */
export async function renderKustomization({ kubectl, ...input }: KustomizeInput): Promise<Rendered> {
  const root = await realpath(input.root);
  const place = { root, folder: await realpath(input.path) };
  const unsupported = await unsupportedFields(place);
  if (unsupported.length > 0) return { documents: [], faults: unsupported, text: JSON.stringify(unsupported) };
  const draft = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-kustomize-'));
  try {
    // A kustomization around theirs asks for the origin of each object.
    const around = { resources: [relative(draft, place.folder)], buildMetadata: ['originAnnotations'] };
    await writeFile(join(draft, 'kustomization.yaml'), JSON.stringify(around), { mode: 0o600 });
    const rendered = await run(kubectl, draft);
    if ('text' in rendered) return { ...(await traced(place, draft, rendered.text)), text: rendered.text };
    return { documents: [], faults: [faultOf(place, rendered.message)], text: rendered.message };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** What came of a kustomization, also as text, by which it is known. */
export interface Rendered extends ParsedFile {
  readonly text: string;
}

interface Place {
  readonly root: string;
  readonly folder: string;
}

async function run(kubectl: string, draft: string): Promise<{ readonly text: string } | { readonly message: string }> {
  const limits = `ulimit -c 0 && { ulimit -v ${MAX_MEMORY_KIB} 2>/dev/null || true; }`;
  const start = 'program=$(PATH=/usr/local/bin:/usr/bin:/bin; command -v "$1") || exit 127; shift; exec "$program" "$@"';
  const args = ['kustomize', draft, '--load-restrictor', 'LoadRestrictionsRootOnly'];
  try {
    // Without a PATH no git is found, and without a proxy that answers nothing is fetched.
    const env = {
      PATH: '/nonexistent',
      HOME: draft,
      HTTP_PROXY: NOWHERE,
      HTTPS_PROXY: NOWHERE,
      KUBECONFIG: '/dev/null',
      GOMEMLIMIT: '512MiB',
    };
    const options = { cwd: draft, env, extendEnv: false, stdin: 'ignore', timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES } as const;
    const { stdout } = await execa('/bin/sh', ['-c', `${limits}; ${start}`, 'sh', kubectl, ...args], options);
    return { text: stdout };
  } catch (error) {
    if (!(error instanceof ExecaError)) throw error;
    if (error.timedOut) return { message: 'it takes more than a minute; make it smaller' };
    if (error.exitCode === 127) return { message: 'the program kubectl is not on the PATH of the controller; install it' };
    const words = (error.stderr ?? '').trim();
    return { message: words.replaceAll(draft, '.').slice(-1_000) || 'kubectl kustomize failed' };
  }
}

const NOWHERE = 'http://127.0.0.1:9';

function faultOf({ root, folder }: Place, message: string): SourceFault {
  const file = relative(root, join(folder, kustomizationIn(folder) ?? 'kustomization.yaml'));
  return { file, line: 0, column: 0, message: `kustomize: ${message.replace(/^error: /, '')}` };
}

/** The rendered documents at the place of the documents that they came from. */
async function traced(place: Place, draft: string, text: string): Promise<ParsedFile> {
  const file = relative(place.root, join(place.folder, kustomizationIn(place.folder) ?? ''));
  // A line of three dashes separates documents: within a text it is indented.
  const parsed = await parseFiles(text.split(/^---$/m).map((one) => ({ file, text: one })));
  const faults = parsed.flatMap((one) => one.faults);
  const documents = parsed.flatMap((one) => one.documents);
  const origins = new Map<string, readonly SourceDocument[]>();
  const found: SourceDocument[] = [];
  for (const document of documents) {
    const path = originOf(document);
    const origin = path === undefined ? undefined : resolve(draft, path);
    if (origin !== undefined && !origins.has(origin)) origins.set(origin, await documentsIn(place, origin));
    const source = origins.get(origin ?? '')?.find((one) => isOriginOf(one, document));
    const { content } = document;
    const top = { file, place: { line: 1, column: 1 }, locate: () => ({ line: 1, column: 1 }) };
    const { file: from, place: at, locate } = source ?? top;
    found.push({ file: from, place: at, locate, content: withoutOrigin(content) });
  }
  return { documents: found, faults: faults.map((fault) => ({ ...fault, line: 0, column: 0 })) };
}

function originOf({ content }: SourceDocument): string | undefined {
  return /^path: (.+)$/m.exec(textAt(content, 'metadata', 'annotations', ORIGIN) ?? '')?.[1];
}

async function documentsIn({ root }: Place, origin: string): Promise<readonly SourceDocument[]> {
  if (!origin.startsWith(root + sep)) return [];
  const text = await readFile(origin, 'utf8').catch(() => '');
  return located(parsePlainFile({ file: relative(root, origin).split(sep).join('/'), text })).documents;
}

/** kustomize may have added a prefix and a suffix to the name. */
function isOriginOf({ content: before }: SourceDocument, { content: after }: SourceDocument): boolean {
  const name = textAt(before, 'metadata', 'name');
  return before['kind'] === after['kind'] && name !== undefined && (textAt(after, 'metadata', 'name') ?? '').includes(name);
}

function withoutOrigin(content: SourceDocument['content']): SourceDocument['content'] {
  const { metadata } = content;
  if (!isObject(metadata)) return content;
  const { annotations, ...rest } = metadata;
  if (!isObject(annotations)) return content;
  const { [ORIGIN]: _origin, ...others } = annotations;
  return { ...content, metadata: Object.keys(others).length === 0 ? rest : { ...rest, annotations: others } };
}

/** Fields whose entries are files or folders; inline text is one of several lines. */
const PATHS = ['resources', 'bases', 'components', 'crds', 'configurations', 'patchesStrategicMerge'] as const;
const NESTED = ['patches', 'patchesJson6902', 'replacements'] as const;
const GENERATORS = ['configMapGenerator', 'secretGenerator'] as const;
/** What these hold may name addresses and programs in ways of its own. */
const UNSUPPORTED = ['generators', 'transformers', 'validators', 'helmCharts', 'helmChartInflationGenerator', 'helmGlobals'] as const;

/** The entries of a kustomization, and of those that it is made of, that are not in the folder. kustomize would fetch them. */
async function unsupportedFields({ root, folder }: Place): Promise<readonly SourceFault[]> {
  const faults: SourceFault[] = [];
  const queue = [folder];
  const seen = new Set(queue);
  for (const current of queue) {
    const name = kustomizationIn(current);
    if (name === undefined) continue;
    const file = relative(root, join(current, name)).split(sep).join('/');
    const [document] = located(parsePlainFile({ file, text: await readFile(join(current, name), 'utf8') })).documents;
    if (document === undefined) continue;
    const reject = (field: string, message: string): void => {
      faults.push({ file, ...document.locate(field), message });
    };
    for (const field of UNSUPPORTED) if (field in document.content) reject(field, `${field} is not supported; remove it`);
    for (const { field, path } of entriesOf(document.content)) {
      const target = await realpath(resolve(current, path)).catch(() => undefined);
      const isInside = target !== undefined && (target === root || target.startsWith(root + sep));
      if (!isInside) reject(field, `${JSON.stringify(path)} is not in the folder; remote bases are not fetched, so put a copy of it here`);
      else if (!seen.has(target) && seen.size < MAX_KUSTOMIZATIONS && (await stat(target)).isDirectory()) {
        seen.add(target);
        queue.push(target);
      }
    }
  }
  return faults;
}

interface Entry {
  readonly field: string;
  readonly path: string;
}

function entriesOf(content: SourceDocument['content']): readonly Entry[] {
  const texts = (field: string, list: readonly unknown[]): Entry[] =>
    list.flatMap((path, index) => (typeof path === 'string' ? [{ field: `${field}[${index}]`, path }] : []));
  const direct = PATHS.flatMap((field) => texts(field, listAt(content, field))).filter(
    ({ field, path }) => !(field.startsWith('patchesStrategicMerge') && path.includes('\n')),
  );
  const nested = NESTED.flatMap((field) =>
    listAt(content, field).flatMap((one, index) => {
      const path = textAt(one, 'path');
      return path === undefined ? [] : [{ field: `${field}[${index}].path`, path }];
    }),
  );
  const generated = GENERATORS.flatMap((field) =>
    listAt(content, field).flatMap((one, index) => {
      const env = textAt(one, 'env');
      const files = texts(`${field}[${index}].files`, listAt(one, 'files')).map((entry) => ({
        ...entry,
        path: entry.path.replace(/^[^=]*=/, ''),
      }));
      const single = env === undefined ? [] : [{ field: `${field}[${index}].env`, path: env }];
      return [...files, ...texts(`${field}[${index}].envs`, listAt(one, 'envs')), ...single];
    }),
  );
  const openapi = textAt(content, 'openapi', 'path');
  return [...direct, ...nested, ...generated, ...(openapi === undefined ? [] : [{ field: 'openapi.path', path: openapi }])];
}
