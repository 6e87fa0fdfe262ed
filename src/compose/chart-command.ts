import { mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readArchive } from '../chart/archive/archive.ts';
import { createChartLibrary } from '../chart/chart-library.ts';
import { CHART_LIMITS } from '../chart/limits.ts';
import { type Output, readStandardInput, takeOutput } from '../cli/command.ts';
import { type Config, parseConfig } from '../config.ts';
import { schemaOf, versionsOf } from '../domain/catalog/app-catalog.ts';
import type { ChartAccess, ChartVerification } from '../domain/chart/chart-access.ts';
import { inspectRendering } from '../domain/chart/inspection/inspect-rendering.ts';
import { type ChartInspection, type ChartWarning, describeInspection, type InspectedChart } from '../domain/chart/inspection/inspection.ts';
import type { RenderableChart, RenderChart } from '../domain/chart/rendered-chart.ts';
import { AppError, messageOf } from '../domain/core/errors.ts';
import { stringifyJson } from '../domain/core/exact-json.ts';
import type { JsonObject, KubeObject } from '../domain/kubernetes/resource.ts';
import type { ChartSource } from '../domain/operator/operator-spec.ts';
import { verificationWith } from '../domain/chart/verify-secret.ts';
import { loadTools } from '../embedded/cluster/tools.ts';
import { formRoot } from '../form/model/app-form.ts';
import { contentSchema } from '../form/model/content-schema.ts';
import { buildForm } from '../form/model/form-model.ts';
import { createHelm } from '../helm/helm.ts';
import { createChartRenderer } from '../helm/render-chart.ts';
import { releaseRecordBytes } from '../helm/release-record.ts';
import { readAuthorities } from './create-charts.ts';

export interface ChartCommandInput {
  /** What follows `chandlery chart`. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly repoRoot: string;
}

/** The Kubernetes that charts are rendered for when no cluster is asked: the embedded one. */
const KUBERNETES = 'v1.36.3';
const USAGE = 'chandlery chart inspect FILE|FOLDER|URL|- [-o json] [--verify-key FILE]';

/**
 * `chandlery chart inspect FILE|FOLDER|URL|- [-o json] [--verify-key FILE]`: what a chart is, brings and asks for, without a cluster, and whether it is signed
 * by that key: an OpenPGP keyring, or a public key of cosign. What it unpacks is removed again.
 *
 * @returns the text to print.
 * @throws AppError `ConfigInvalid` for options; the errors of charts for one that cannot be read.
 */
export async function chartCommand({ argv, env, repoRoot }: ChartCommandInput, signal: AbortSignal): Promise<string> {
  const { target, output, verifyKey, config } = parseCommand(argv, env);
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-inspect-'));
  try {
    const { source, roots } = await locate(target === '-' ? await keepInput(folder) : target);
    const ports = await openPorts({
      folder,
      roots: { charts: join(repoRoot, 'charts'), ...config.chartRoots, ...roots },
      config,
      repoRoot,
      access: verifyKey === undefined ? {} : { verification: await readVerifyKey(verifyKey) },
    });
    const inspection = await inspectChart(ports, source, signal);
    return output === 'json' ? `${stringifyJson(inspection, 2)}\n` : describeInspection(inspection);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Command {
  readonly target: string;
  readonly output: Output;
  /** A file with public keys. */
  readonly verifyKey?: string;
  readonly config: Config;
}

function parseCommand(argv: readonly string[], env: ChartCommandInput['env']): Command {
  const { output, rest: words } = takeOutput('chart', argv);
  const { positionals, verifyKey, rest } = split(words);
  const [verb, target, ...more] = positionals;
  if (verb !== 'inspect' || target === undefined || more.length > 0) throw new AppError('ConfigInvalid', `chart: write ${USAGE}`);
  return { target, output, ...(verifyKey === undefined ? {} : { verifyKey }), config: parseConfig(rest, env) };
}

interface Words {
  readonly positionals: readonly string[];
  readonly verifyKey: string | undefined;
  readonly rest: readonly string[];
}

/** Our own words, and the settings that are everybody's. */
function split(argv: readonly string[]): Words {
  const many = { type: 'string', multiple: true } as const;
  const options = {
    'verify-key': { type: 'string' },
    mirror: many,
    'chart-root': many,
    'allow-egress': many,
    'chart-ca': many,
  } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: true });
    const { 'verify-key': verifyKey, ...settings } = values;
    const rest = Object.entries(settings).flatMap(([name, given]) => (given ?? []).flatMap((value) => [`--${name}`, value]));
    return { positionals, verifyKey, rest };
  } catch (cause) {
    const why = messageOf(cause).split('. To specify')[0] ?? '';
    throw new AppError('ConfigInvalid', `chart: ${why}; write ${USAGE}, with --mirror, --chart-root, --allow-egress or --chart-ca`, {
      cause,
    });
  }
}

/** A chart that was piped into the command, as a file. */
async function keepInput(folder: string): Promise<string> {
  const path = join(folder, 'input.tgz');
  await writeFile(path, await readStandardInput());
  return path;
}

/** A public key in PEM is cosign's; anything else is a keyring of OpenPGP. */
async function readVerifyKey(file: string): Promise<ChartVerification> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new AppError('ConfigInvalid', `--verify-key: ${JSON.stringify(file)} cannot be read`, { cause });
  });
  const provider = bytes.includes('-----BEGIN PUBLIC KEY-----') ? 'Cosign' : 'Provenance';
  return verificationWith(provider, `the file ${JSON.stringify(file)}`, [{ name: basename(file), bytes }]);
}

/** A path becomes an address in a root of its own, so that it is read by the same rules as every chart. */
async function locate(target: string): Promise<{ source: ChartSource; roots: Readonly<Record<string, string>> }> {
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(target)) return { source: { kind: 'url', url: target }, roots: {} };
  const path = resolve(target);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new AppError('ChartNotFound', `chart: ${JSON.stringify(target)}: there is no such file or folder`);
  const url = `file://here/${encodeURIComponent(basename(path))}`;
  return { source: { kind: 'url', url }, roots: { here: dirname(path) } };
}

interface PortsInput {
  readonly folder: string;
  readonly roots: Readonly<Record<string, string>>;
  readonly config: Config;
  readonly repoRoot: string;
  readonly access: ChartAccess;
}

async function openPorts({ folder, roots, config, repoRoot, access }: PortsInput): Promise<InspectChartPorts> {
  const { mirrors, allowEgress } = config;
  const certificateAuthorities = await readAuthorities(config.chartCaFiles);
  const charts = await createChartLibrary({ cacheDir: join(folder, 'charts'), roots, mirrors, allowEgress, certificateAuthorities });
  const { helm: program } = await loadTools(repoRoot);
  const helm = await createHelm({
    program,
    homeDir: join(folder, 'helm'),
    maxChildren: availableParallelism(),
    log: { debug: () => undefined },
  });
  return {
    fetch: (source, signal) => charts.fetch(source, signal, access),
    unpack: async (path, signal) => {
      const { contents } = await readArchive(path, { limits: CHART_LIMITS, wants: () => true, signal });
      return { files: contents, packedBytes: (await stat(path)).size };
    },
    // Without a cluster the APIs are those that Helm itself knows of this Kubernetes.
    renderChart: createChartRenderer({
      render: helm.render,
      discovery: { kinds: () => Promise.resolve([]) },
      kubernetesVersion: () => Promise.resolve(KUBERNETES),
      imageRewrites: config.imageRewrites,
    }),
    recordBytes: releaseRecordBytes,
  };
}

/** A chart that is here. */
interface CachedChart extends RenderableChart {
  /** Who signed it; only where a signature was asked for. */
  readonly signer?: string;
  readonly contents: RenderableChart['contents'] & {
    readonly metadata: Omit<InspectedChart, 'digest' | 'signer' | 'packedBytes' | 'files'>;
    readonly values: JsonObject;
    readonly readme: string;
    readonly crds: readonly KubeObject[];
  };
}

interface RecordParts {
  readonly metadata: object;
  readonly values: JsonObject;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly objects: readonly KubeObject[];
}

/** What inspecting a chart needs of the outside. */
interface InspectChartPorts {
  readonly fetch: (source: ChartSource, signal: AbortSignal) => Promise<CachedChart>;
  /** All files of a packed chart, and the size of the archive. */
  readonly unpack: (
    path: string,
    signal: AbortSignal,
  ) => Promise<{ readonly files: ReadonlyMap<string, Buffer>; readonly packedBytes: number }>;
  readonly renderChart: RenderChart;
  /** Bytes of the record that Helm would write. */
  readonly recordBytes: (parts: RecordParts) => Promise<number>;
}

const NAMESPACE = 'default';

/** The chart with its own values, as a first release. */
const FIRST_RELEASE = {
  values: {},
  secrets: [],
  release: 'release-name',
  namespace: NAMESPACE,
  action: 'install',
  legacyAPIs: 'Uplift',
  label: '',
  invalidValues: 'Render',
} as const;

/**
 * Tells what a chart is, brings and asks for, without a cluster.
 *
 * @throws AppError as fetching a chart does; a chart that does not render is a warning.
 */
async function inspectChart(ports: InspectChartPorts, source: ChartSource, signal: AbortSignal): Promise<ChartInspection> {
  const chart = await ports.fetch(source, signal);
  const { digest, path, contents, signer } = chart;
  const { files, packedBytes } = await ports.unpack(path, signal);
  const rendering = await ports.renderChart({ ...FIRST_RELEASE, chart }, signal);
  const { metadata, values, crds } = contents;
  const templates = [...files].filter(([name]) => /(^|\/)templates\/.*\.(ya?ml|tpl|txt)$/.test(name));
  const inspection = inspectRendering({
    chart: { ...metadata, digest, ...(signer === undefined ? {} : { signer }), packedBytes, files: files.size },
    text: {
      hasSchema: contents.schema !== undefined,
      readme: contents.readme,
      description: metadata.description ?? '',
      templates: new Map(templates.map(([name, content]) => [name, content.toString('utf8')])),
    },
    crds,
    rendering,
    namespace: NAMESPACE,
    recordBytes: await ports.recordBytes({ metadata, values, files, objects: rendering.objects }),
  });
  const definitions = rendering.crds.length > 0 ? rendering.crds : crds;
  return { ...inspection, warnings: [...inspection.warnings, ...definitions.flatMap(formWarnings)] };
}

/** Kinds that are too large for a form. */
function formWarnings(crd: KubeObject): ChartWarning[] {
  return versionsOf(crd).flatMap(({ name, served }) => {
    const schema = schemaOf(crd, name);
    const { reduced } = buildForm({ schema: contentSchema(schema), ...formRoot(schema), curated: [], mode: 'create' });
    return served && reduced !== undefined
      ? [{ code: 'FormReduced', where: `${crd.metadata.name} ${name}`, message: reduced } as const]
      : [];
  });
}
