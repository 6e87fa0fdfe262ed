// `npm run bench:charts [-- FOLDER|classes [NAME…]]`: every packed chart of a folder (../shared/charts, else the small charts of test/support/chart-classes) is offered as an app, and installed with its own values as a developer, one after another.
// Beside each: what helm says as a cluster admin. The verdict of the preflight checks and what happens must agree. What does not install so is tried once more with the
// values that the page which offers a chart proposes as defaults.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { execa } from 'execa';
import { stringify } from 'yaml';
import type { ChartContents } from '../src/chart/archive/contents.ts';
import { createChartLibrary } from '../src/chart/chart-library.ts';
import { stringifyJson } from '../src/domain/core/exact-json.ts';
import { messageOf } from '../src/domain/core/errors.ts';
import { at, listAt, textAt } from '../src/domain/core/read.ts';
import { ifFound } from '../src/domain/kubernetes/cluster.ts';
import { conditionsOf, findCondition } from '../src/domain/kubernetes/condition.ts';
import { deleteWithIntent } from '../src/domain/kubernetes/deletion-intent.ts';
import { APP_DEFINITION, ENVIRONMENT } from '../src/domain/kubernetes/resource-types.ts';
import type { JsonObject, KubeObject } from '../src/domain/kubernetes/resource.ts';
import { loadTools } from '../src/embedded/cluster/tools.ts';
import { createKube } from '../src/kube/kube.ts';
import type { ChartClass } from '../test/support/chart-classes/chart-class.ts';
import { CHART_CLASSES } from '../test/support/chart-classes/chart-classes.ts';
import { packChart } from '../test/support/charts.ts';
import { repoRoot } from '../test/support/cluster.ts';
import { eventually } from '../test/support/eventually.ts';
import { startProduct } from '../test/support/product.ts';
import { measureChartForm } from './chart-form.ts';
import { printRows } from './measure-run.ts';

const CLASSES = 'classes';
const publicCharts = join(repoRoot, '..', 'shared', 'charts');
const given = process.argv[2] ?? (existsSync(publicCharts) ? publicCharts : CLASSES);
const only = process.argv.slice(3);
const HOME = 'bench';
const OFFERED_S = 120;
const RELEASED_S = 120;
/** A release is installed when helm says so; for its health, which nobody may ever report, the run waits no longer than this. */
const HEALTHY_MS = 15_000;
/** Reasons of what goes on. */
const WORKING = /ing$/;
const GROUP = 'apps.chandlery.dev';

/** What came of one chart. */
interface Row {
  readonly chart: string;
  /** `installs`, or why not. */
  readonly helm: string;
  readonly verdict: string;
  readonly outcome: string;
  readonly why: string;
  /** What the preview of the chart says before it is offered: `installable`, or what it needs. */
  readonly preview: string;
  /** The share of the values in values.yaml with a control of their own, as a percentage. */
  readonly typed: string;
  /** Whether the own values, and those of each file in `ci/`, are valid; `-` for a chart without such files, or that is not offered. */
  readonly ownValues: string;
  readonly ciValues: string;
  /** Whether all of them come back from the form as they are. */
  readonly roundTrip: string;
  /** With the proposed defaults: the outcome; `-` without a proposal, or where none is needed. */
  readonly proposed: string;
}

const catalogDir = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-bench-charts-'));
const folder = given === CLASSES ? await packClasses(join(catalogDir, '..', `${basename(catalogDir)}-classes`)) : resolve(given);
await writeFile(
  join(catalogDir, 'bench.yaml'),
  stringify({
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'Environment',
    metadata: { name: HOME },
    spec: { tier: 'development', groups: [{ name: 'oidc:team-a', role: 'developer' }] },
  }),
);
const tools = await loadTools(repoRoot);
const product = await startProduct(['--catalog', catalogDir, '--chart-root', `bench=${folder}`]);
const kube = createKube({ kubeconfigPath: product.kubeconfigPath, userAgent: 'chandlery-bench' });
const cluster = kube.asController();
const library = await createChartLibrary({ cacheDir: join(folder, '.cache'), roots: { bench: folder }, mirrors: [], allowEgress: [] });
const rows: Row[] = [];
try {
  await eventually(async () => {
    const home = await ifFound(cluster.get({ ...ENVIRONMENT, name: HOME }));
    return home !== undefined && findCondition(conditionsOf(home), 'Ready')?.status === 'True';
  }, 'the environment is ready');
  const files = (await readdir(folder)).filter(
    (file) => file.endsWith('.tgz') && (only.length === 0 || only.some((name) => file.startsWith(name))),
  );
  for (const file of files.sort()) {
    const row = await measure(file);
    rows.push(row);
    console.error(
      `${row.chart}: helm ${row.helm.slice(0, 60)}; ${row.preview}; ${row.verdict}; ${row.outcome}; proposed: ${row.proposed} ${row.why}`,
    );
  }
} finally {
  await kube.close();
  await product.stop();
  await rm(catalogDir, { recursive: true, force: true });
  if (given === CLASSES) await rm(folder, { recursive: true, force: true });
}
report();

async function packClasses(target: string): Promise<string> {
  await mkdir(target);
  for (const { name, version, files } of CHART_CLASSES) {
    await writeFile(join(target, `${name}-${version}.tgz`), await packChart(name, files));
  }
  return target;
}

async function measure(file: string): Promise<Row> {
  const [, name = '', version = ''] = /^(.+?)-(v?\d.*)\.tgz$/.exec(file) ?? [];
  const { preview, proposal } = await askPreview(name, version);
  const { contents } = await library.fetch({ kind: 'url', url: `file://bench/${encodeURIComponent(file)}` }, AbortSignal.timeout(60_000));
  const row = {
    chart: `${name} ${version}`,
    helm: await askHelm(file),
    verdict: '-',
    outcome: '-',
    why: '',
    preview,
    proposed: '-',
    ...measureForm(contents),
  };
  const plural = `${name.replaceAll('-', '')}s`;
  const kind = name.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const definition: KubeObject = {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'AppDefinition',
    metadata: { name },
    spec: {
      chart: { repoURL: 'file://bench', name, version },
      deletionPolicy: 'Cascade',
      names: { kind: kind.join(''), plural, singular: `x${name.replaceAll('-', '')}`.slice(0, 40) },
    },
  };
  await cluster.create(APP_DEFINITION, definition);
  try {
    const app = `${plural}.${GROUP}`;
    const asIs = { ...row, ...(await offerAndInstall(name, app)) };
    if (asIs.outcome === 'not offered') return asIs;
    const valid = { ownValues: await validity(app, [contents.values]), ciValues: await validity(app, contents.ciValues) };
    return { ...asIs, ...valid, ...(await installProposed(asIs, app, proposal)) };
  } catch (error) {
    return { ...row, outcome: 'not measured', why: messageOf(error).slice(0, 300) };
  } finally {
    await deleteWithIntent(cluster, { type: APP_DEFINITION, object: definition });
    await eventually(async () => (await ifFound(cluster.get({ ...APP_DEFINITION, name }))) === undefined, `${name} is gone`, OFFERED_S);
  }
}

function measureForm(contents: ChartContents): Pick<Row, 'typed' | 'roundTrip' | 'ownValues' | 'ciValues'> {
  const { counts, roundTrip } = measureChartForm(contents);
  const { values, typed } = counts;
  return { typed: values === 0 ? '-' : ((typed / values) * 100).toFixed(0), roundTrip, ownValues: '-', ciValues: '-' };
}

/** How many of some values the product takes: `yes`, `NO`, `2 of 3`. */
async function validity(app: string, samples: readonly JsonObject[]): Promise<string> {
  if (samples.length === 0) return '-';
  const answers = await Promise.all(samples.map((values) => checkInstance({ app, name: 'three', spec: { values } })));
  const valid = answers.filter(({ status, body }) => status < 300 && !/violate the schema/.test(stringifyJson(body)));
  if (valid.length === samples.length) return 'yes';
  return samples.length === 1 ? 'NO' : `${valid.length} of ${samples.length}`;
}

async function installProposed(asIs: Row, app: string, proposal: unknown): Promise<Pick<Row, 'proposed' | 'why'>> {
  if (proposal === undefined || installs(asIs)) return { proposed: asIs.proposed, why: asIs.why };
  const { outcome, why } = await install({ app, name: 'two', spec: { values: proposal } });
  return { proposed: outcome ?? '-', why: `${asIs.why} || ${why ?? ''}` };
}

async function checkInstance(body: Wanted): Promise<Awaited<ReturnType<typeof product.api>>> {
  return await product.api('dev-a', `/environments/${HOME}/instances?dryRun=All`, { method: 'POST', body });
}

async function offerAndInstall(name: string, app: string): Promise<Partial<Row>> {
  const offered = await eventually(
    async () => {
      const conditions = conditionsOf(await cluster.get({ ...APP_DEFINITION, name }));
      const [ready, stalled] = ['Ready', 'Stalled'].map((type) => findCondition(conditions, type));
      if (stalled?.status === 'True') return stalled;
      const { body } = await product.api('dev-a', `/apps/${app}`);
      return ready?.status === 'True' && textAt(body, 'availability') === 'Available' ? ready : undefined;
    },
    `${name} is offered`,
    OFFERED_S,
  );
  if (offered.type !== 'Ready') return { outcome: 'not offered', why: offered.message };
  return await install({ app, name: 'one', spec: {} });
}

interface Wanted {
  readonly app: string;
  readonly name: string;
  readonly spec: object;
}

async function install(body: Wanted): Promise<Partial<Row>> {
  const instances = `/environments/${HOME}/instances`;
  const { body: checked } = await checkInstance(body);
  const blocked = listAt(checked, 'findings', 'blocked').map((finding) => textAt(finding, 'message') ?? '');
  const unchecked = listAt(checked, 'findings', 'unchecked').map((finding) => `unchecked: ${textAt(finding, 'message') ?? ''}`);
  const verdict = textAt(checked, 'verdict') ?? textAt(checked, 'code') ?? 'none';
  const created = await product.api('dev-a', instances, { method: 'POST', body });
  const said = [...blocked, ...unchecked].join(' | ');
  if (created.status >= 300)
    return { verdict, outcome: `rejected ${textAt(created.body, 'code') ?? created.status}`, why: said || stringifyJson(created.body) };
  const outcome = await outcomeOf(`${instances}/${body.app}/${body.name}`);
  return { verdict, ...outcome, why: [said, outcome.why].filter((part) => part !== '').join(' | ') };
}

async function outcomeOf(path: string): Promise<Pick<Row, 'outcome' | 'why'>> {
  const read = async (): Promise<KubeObject | undefined> => {
    const { status, body } = await product.api('dev-a', path);
    return status === 404 ? undefined : ((body as { object: KubeObject }).object satisfies KubeObject);
  };
  let since = Infinity;
  try {
    return await eventually(
      async () => {
        const object = await read();
        const conditions = object === undefined ? [] : conditionsOf(object);
        const [ready, released, stalled] = ['Ready', 'Released', 'Stalled'].map((type) => findCondition(conditions, type));
        if (ready?.status === 'True') return { outcome: 'Ready', why: '' };
        if (released?.status === 'False' && !WORKING.test(released.reason)) return { outcome: released.reason, why: released.message };
        if (stalled?.status === 'True') return { outcome: stalled.reason, why: stalled.message };
        if (released?.status !== 'True') return undefined;
        since = Math.min(since, performance.now());
        return performance.now() - since > HEALTHY_MS ? { outcome: 'Released', why: ready?.message ?? '' } : undefined;
      },
      'the instance is released',
      RELEASED_S,
    );
  } catch {
    const conditions = conditionsOf((await read()) ?? { apiVersion: '', kind: '', metadata: { name: '' } });
    const [ready, released] = ['Ready', 'Released'].map((type) => findCondition(conditions, type));
    return { outcome: released?.status === 'True' ? 'Released' : 'waits', why: ready?.message ?? '' };
  } finally {
    await product.api('dev-a', path, { method: 'DELETE' });
    await eventually(async () => (await read()) === undefined, 'the instance is gone', RELEASED_S);
  }
}

/** What the page that offers a chart says of it. */
async function askPreview(name: string, version: string): Promise<{ readonly preview: string; readonly proposal?: unknown }> {
  const query = new URLSearchParams({ repoURL: 'file://bench', name, version });
  const { status, body } = await product.api('admin', `/chart-preview?${query.toString()}`);
  if (status !== 200) return { preview: textAt(body, 'code') ?? String(status) };
  const needs = ['outside', 'crds', 'unserved', 'permissions', 'accounts'].flatMap((part) => {
    const { length } = listAt(body, 'requirements', part);
    return length === 0 ? [] : [`${length} ${part}`];
  });
  const faults = listAt(body, 'faults').length;
  const preview = [...(faults === 0 ? [] : [`${faults} faults`]), ...needs].join(', ') || 'installable';
  const proposal = at(body, 'scopeDefaults', 'values');
  return { preview, ...(proposal === undefined ? {} : { proposal }) };
}

/** As a cluster admin, without writing anything. */
async function askHelm(file: string): Promise<string> {
  const args = ['install', 'one', join(folder, file), '--namespace', 'default', '--dry-run=server', '--kubeconfig', product.kubeconfigPath];
  const { exitCode, stderr } = await execa(tools.helm ?? 'helm', args, { reject: false });
  return exitCode === 0 ? 'installs' : (stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? 'fails');
}

function installs({ outcome }: Pick<Row, 'outcome'>): boolean {
  return outcome === 'Ready' || outcome === 'Released';
}

/** A check that says nothing else than that it is incomplete promises nothing. */
function agrees(row: Row): boolean {
  return row.verdict === 'Incomplete' || (row.verdict === 'Ready') === installs(row);
}

function classOf({ chart }: Row): ChartClass | undefined {
  return CHART_CLASSES.find(({ name, version }) => chart === `${name} ${version}`);
}

function report(): void {
  printRows([
    [
      'chart',
      'typed %',
      'round trip',
      'own values',
      'ci values',
      'helm',
      'preview',
      'verdict',
      'outcome',
      'agrees',
      'with proposed defaults',
    ],
    ...rows.map((row) => [
      row.chart,
      row.typed,
      row.roundTrip,
      row.ownValues,
      row.ciValues,
      row.helm === 'installs' ? 'installs' : 'fails',
      row.preview,
      row.verdict,
      row.outcome,
      agrees(row) ? 'yes' : 'NO',
      row.proposed,
    ]),
  ]);
  const count = (of: (row: Row) => boolean): number => rows.filter(of).length;
  console.log(
    `${rows.length} charts: helm installs ${count(({ helm }) => helm === 'installs')}, Chandlery ${count(installs)}, and ${count((row) => installs({ outcome: row.proposed }))} more with the defaults that it proposes; the verdict disagrees with ${count((row) => !agrees(row))}`,
  );
  console.log(
    `${count(({ roundTrip }) => roundTrip === 'yes')} keep all values in their form; ${count(({ ownValues }) => ownValues === 'NO')} reject their own values`,
  );
  if (given !== CLASSES) return;
  const surprising = rows.filter((row) => installs(row) !== (classOf(row)?.outcome === 'installs'));
  for (const { chart, outcome, why } of surprising) console.log(`✖ ${chart}: ${outcome} ${why}`);
  process.exitCode = surprising.length + count((row) => !agrees(row)) === 0 ? 0 : 1;
}
