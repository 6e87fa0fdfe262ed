// `npm run bench:charts [-- FOLDER]`: every packed chart of a folder (../shared/charts) is offered as an app, and installed with its own values as a developer, one after another.
// Beside each: what helm says as a cluster admin. The verdict of the preflight checks and what happens must agree. What does not install so is tried once more with the
// values that the page which offers a chart proposes as defaults.
import { mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { stringify } from 'yaml';
import { stringifyJson } from '../src/domain/core/exact-json.ts';
import { messageOf } from '../src/domain/core/errors.ts';
import { at, listAt, textAt } from '../src/domain/core/read.ts';
import { ifFound } from '../src/domain/kubernetes/cluster.ts';
import { conditionsOf, findCondition } from '../src/domain/kubernetes/condition.ts';
import { deleteWithIntent } from '../src/domain/kubernetes/deletion-intent.ts';
import { APP_DEFINITION, ENVIRONMENT } from '../src/domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../src/domain/kubernetes/resource.ts';
import { loadTools } from '../src/embedded/cluster/tools.ts';
import { createKube } from '../src/kube/kube.ts';
import { repoRoot } from '../test/support/cluster.ts';
import { eventually } from '../test/support/eventually.ts';
import { startProduct } from '../test/support/product.ts';
import { printRows } from './measure-run.ts';

const folder = resolve(process.argv[2] ?? join(repoRoot, '..', 'shared', 'charts'));
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
  /** With the proposed defaults: the outcome; `-` without a proposal, or where none is needed. */
  readonly proposed: string;
}

const catalogDir = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-bench-charts-'));
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
}
report();

async function measure(file: string): Promise<Row> {
  const [, name = '', version = ''] = /^(.+?)-(\d.*)\.tgz$/.exec(file) ?? [];
  const { preview, proposal } = await askPreview(name, version);
  const row = { chart: `${name} ${version}`, helm: await askHelm(file), verdict: '-', outcome: '-', why: '', preview, proposed: '-' };
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
    if (proposal === undefined || installs(asIs) || asIs.outcome === 'not offered') return asIs;
    const { outcome, why } = await install({ app, name: 'two', spec: { values: proposal } });
    return { ...asIs, proposed: outcome ?? '-', why: `${asIs.why} || ${why ?? ''}` };
  } catch (error) {
    return { ...row, outcome: 'not measured', why: messageOf(error).slice(0, 300) };
  } finally {
    await deleteWithIntent(cluster, { type: APP_DEFINITION, object: definition });
    await eventually(async () => (await ifFound(cluster.get({ ...APP_DEFINITION, name }))) === undefined, `${name} is gone`, OFFERED_S);
  }
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
  const checked = (await product.api('dev-a', `${instances}?dryRun=All`, { method: 'POST', body })).body;
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

function report(): void {
  printRows([
    ['chart', 'helm', 'preview', 'verdict', 'outcome', 'agrees', 'with proposed defaults'],
    ...rows.map((row) => [
      row.chart,
      row.helm === 'installs' ? 'installs' : 'fails',
      row.preview,
      row.verdict,
      row.outcome,
      (row.verdict === 'Ready') === installs(row) ? 'yes' : 'NO',
      row.proposed,
    ]),
  ]);
  const count = (of: (row: Row) => boolean): number => rows.filter(of).length;
  console.log(
    `${rows.length} charts: helm installs ${count(({ helm }) => helm === 'installs')}, Chandlery ${count(installs)}, and ${count((row) => installs({ outcome: row.proposed }))} more with the defaults that it proposes; the verdict disagrees with ${count((row) => (row.verdict === 'Ready') !== installs(row))}`,
  );
}
