import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { at, listAt, objectAt, textAt } from '../../src/domain/core/read.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { mintDemoToken } from '../../src/embedded/issuer/mint-demo-token.ts';
import { repoRoot } from '../support/cluster.ts';
import { until } from '../support/product.ts';
import { type Ended, runCommand } from '../support/run-command.ts';
import { addEnvironment, addToCatalog, sharedProduct, type SharedProduct } from '../support/shared-product.ts';

// Runs in test:all: it starts dozens of programs.

const CACHES = 'caches.samples.chandlery.dev';
/** The apps of the example catalogue. Tests beside this one add others, and remove them. */
const EXAMPLE: readonly string[] = [
  CACHES,
  'postgresclusters.samples.chandlery.dev',
  ...['jobrunners', 'objectstores', 'postgresservers', 'queues', 'staticsites', 'webapps'].map((plural) => `${plural}.apps.chandlery.dev`),
];
/** The Environment, and the CatalogSource, of this file. */
const HERE = `command-line-${process.pid}`;

describe('the command line in front of a cluster and of a server', { timeout: 300_000 }, () => {
  let product: SharedProduct;
  let folder: string;
  /** The folder of the source, which nobody else writes into. */
  let published: string;
  let kubectl: string;
  let token: string;

  before(async () => {
    product = await sharedProduct();
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-command-line-'));
    await symlink(join(repoRoot, 'bin', 'chandlery.mjs'), join(folder, 'chandlery'));
    await symlink(join(repoRoot, 'bin', 'kubectl-chandlery'), join(folder, 'kubectl-chandlery'));
    ({ kubectl = 'kubectl' } = await loadTools(repoRoot));
    token = await product.token('dev-a');
    await addEnvironment(product, HERE);
    const body = { app: CACHES, name: 'orders', spec: {} };
    assert.equal((await product.api('dev-a', `/environments/${HERE}/instances`, { method: 'POST', body })).status, 201);
    const instance = `/environments/${HERE}/instances/${CACHES}/orders`;
    published = join(folder, 'catalog');
    await writeCatalog(published);
    await writeFile(join(folder, 'source.yaml'), sourceOf(published));
    const applied = await program('kubectl', ['apply', '-f', join(folder, 'source.yaml')]);
    assert.equal(applied.code, 0, applied.stderr);
    const listed = async (): Promise<string[]> =>
      listAt((await product.api('dev-a', '/apps?limit=500')).body, 'items').map((app) => textAt(app, 'id') ?? '');
    const isWhole = async (): Promise<boolean> => (await listed()).filter((id) => EXAMPLE.includes(id)).length === EXAMPLE.length;
    await until(isWhole, 'the example catalogue is there');
    await until(async () => textAt((await product.api('dev-a', instance)).body, 'health', 'status') === 'Healthy', 'the cache is healthy');
    await until(async () => textAt((await product.api('admin', `/sources/${HERE}`)).body, 'state') === 'Synced', 'the source is synced');
  });
  after(async () => {
    await program('kubectl', ['annotate', `catalogsources.chandlery.dev/${HERE}`, 'chandlery.dev/deletion-intent=Cascade']);
    await program('kubectl', ['delete', `catalogsources.chandlery.dev/${HERE}`, '--timeout=60s']);
    await rm(folder, { recursive: true, force: true });
    await product.stop();
  });

  /** A program as the admin of the kubeconfig; with `CHANDLERY_SERVER`, as dev-a. */
  const program = async (file: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
    await new Promise((resolve) => {
      const PATH = [folder, join(repoRoot, 'node_modules/.bin'), dirname(kubectl), process.env['PATH']].join(':');
      const all = { PATH, HOME: folder, KUBECONFIG: product.kubeconfigPath, ...env };
      execFile(file, [...args], { env: all, cwd: folder }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      });
    });
  /** The same in this process. */
  const chandleryWith = async (env: Record<string, string>, args: readonly string[]): Promise<Ended> =>
    await runCommand(args, { HOME: folder, CHANDLERY_KUBECONFIG: product.kubeconfigPath, ...env });
  const chandlery = async (...args: readonly string[]): Promise<Ended> => await chandleryWith({}, args);
  const asDeveloper = async (...args: readonly string[]): Promise<Ended> =>
    await chandleryWith({ CHANDLERY_SERVER: product.origin, CHANDLERY_TOKEN: token }, args);

  it('does the same by the kubeconfig and by a server, as the person that each of them names', async () => {
    const [apps, sameApps, plugin, all, theirs] = await Promise.all([
      program('chandlery', ['apps', '-o', 'name']),
      asDeveloper('apps', '-o', 'name'),
      program('kubectl', ['chandlery', 'apps', '-o', 'name']),
      chandlery('environments', '-o', 'name'),
      asDeveloper('environments', '-o', 'name'),
    ]);
    const example = ({ stdout }: Ended): readonly string[] => stdout.split('\n').filter((id) => EXAMPLE.includes(id));
    assert.equal(example(apps).length, EXAMPLE.length, apps.stdout + apps.stderr);
    assert.deepEqual(example(sameApps), example(apps), sameApps.stderr);
    assert.deepEqual(example(plugin), example(apps), plugin.stderr);
    assert.ok(all.stdout.includes('team-b\n'));
    assert.ok(theirs.stdout.includes(`${HERE}\n`) && !theirs.stdout.includes('team-b'), theirs.stdout);
  });

  it('prints tables for people, and what the REST API answers for programs', async () => {
    const [list, one, tree, url] = await Promise.all([
      asDeveloper('status', '-e', HERE),
      asDeveloper('status', 'caches/orders', '-e', HERE, '-o', 'json'),
      asDeveloper('tree', 'orders', '-e', HERE),
      asDeveloper('url', 'orders', '-e', HERE, '-o', 'name'),
    ]);
    assert.match(list.stdout, /^ENVIRONMENT {3}/);
    assert.match(list.stdout, new RegExp(`^${HERE} +caches/orders +Healthy `, 'm'));
    assert.equal(textAt(JSON.parse(one.stdout), 'object', 'metadata', 'name'), 'orders');
    assert.match(tree.stdout, /^Cache\/orders +Healthy/m);
    assert.match(tree.stdout, /^└─StatefulSet\/orders-cache +Healthy +1\/1 ready/m);
    assert.match(tree.stdout, /^ {2}└─Pod\/orders-cache-0/m);
    assert.match(url.stdout, new RegExp(`^orders-cache\\.${HERE}\\.svc:6379$`, 'm'));
    assert.ok(![list, one, tree, url].some(({ stdout }) => stdout.includes('\u001b')), 'a pipe is not coloured');
  });

  it('explains apps and single fields', async () => {
    const [manual, fields, field] = await Promise.all([
      chandlery('man', 'cache'),
      chandlery('explain', 'caches', '-o', 'json'),
      chandlery('explain', `${CACHES}.spec.memory`),
    ]);
    assert.match(manual.stdout, /^NAME\n {4}caches\.samples\.chandlery\.dev - Cache/);
    assert.ok(listAt(JSON.parse(fields.stdout), 'fields').length > 10);
    assert.match(field.stdout, /^FIELD: {3}spec\.memory <quantity>\nDEFAULT: 128Mi\n/m);
  });

  it('says what failed and what to do, with a code of its own for each kind of failure', async () => {
    const developer = join(folder, 'dev-a.kubeconfig');
    await writeFile(developer, (await chandlery('kubeconfig', '--as', 'dev-a', '--state', product.stateDir)).stdout);
    await chmod(developer, 0o600);
    const file = join(folder, 'token');
    await writeFile(file, 'not-a-token');
    const [absent, unseen, forbidden, refused, away] = await Promise.all([
      asDeveloper('status', 'nothing', '-e', HERE),
      asDeveloper('status', '-e', 'team-b'),
      chandlery('apps', '--kubeconfig', developer),
      chandlery('apps', '--server', product.origin, '--token-file', file),
      chandleryWith({ CHANDLERY_TOKEN: token }, ['apps', '--server', 'https://127.0.0.1:9']),
    ]);
    for (const ended of [absent, unseen, forbidden, refused, away]) {
      assert.equal(ended.code, 1, ended.stderr);
      assert.equal(ended.stdout, '');
      assert.match(ended.stderr, /^chandlery: [^]+\nWhat to do: [^]+\n$/);
      assert.ok(!ended.stderr.includes('not-a-token') && !ended.stderr.includes(token));
    }
    assert.match(absent.stderr, new RegExp(`"chandlery status -e ${HERE}" lists them`));
    assert.match(forbidden.stderr, /missing permission: list /);
    assert.match(forbidden.stderr, /--server URL/);
    assert.match(away.stderr, /https:\/\/127\.0\.0\.1:9: connect ECONNREFUSED/);
  });

  it('checks, installs, changes and deletes an instance, and waits for each', async () => {
    const values = join(folder, 'values.yaml');
    await writeFile(values, 'spec: {memory: 96Mi}\n');
    const install = ['install', 'caches', 'web', '-e', HERE, '-f', values, '--set', 'spec.users[0].name=shop'];
    const [ready, blocked, untyped] = await Promise.all([
      asDeveloper(...install, '--dry-run'),
      asDeveloper('install', 'caches', 'web', '-e', HERE, '--set', 'spec.replicas=99', '--dry-run'),
      asDeveloper('install', 'caches', 'web', '-e', HERE, '--set', 'spec.replicas=many'),
    ]);
    assert.match(ready.stdout, /^Ready\n[^]*^spec\.memory +128Mi +96Mi +you$/m);
    assert.deepEqual([ready.code, blocked.code, untyped.code], [0, 3, 2]);
    assert.match(blocked.stdout, /^Blocked:\n {2}spec\.replicas: /m);
    const installed = await asDeveloper(...install, '--wait', '-o', 'json');
    assert.equal(installed.code, 0, installed.stderr);
    assert.match(installed.stderr, /web created\n[^]*Healthy/);
    assert.deepEqual(at(JSON.parse(installed.stdout), 'object', 'spec', 'users'), [{ name: 'shop', permissions: ['read'] }]);
    const set = await asDeveloper('upgrade', 'web', '-e', HERE, '--set', 'spec.users[1].name=b', '--set', 'spec.labels.v=2', '-o', 'json');
    const { users, labels } = objectAt(JSON.parse(set.stdout), 'object', 'spec');
    assert.deepEqual([users, labels], [['shop', 'b'].map((name) => ({ name, permissions: ['read'] })), { v: '2' }]);
    const unset = await asDeveloper('upgrade', 'web', '-e', HERE, '--unset', 'spec.users[0]', '--unset', 'spec.memory', '-o', 'json');
    const { users: left, memory } = objectAt(JSON.parse(unset.stdout), 'object', 'spec');
    assert.deepEqual([listAt(left).map((user) => textAt(user, 'name')), memory], [['b'], '128Mi']);
    const [logs, deletion] = await Promise.all([
      asDeveloper('logs', 'web', '-e', HERE, '--tail', '1'),
      asDeveloper('delete', 'web', '-e', HERE, '--dry-run'),
    ]);
    assert.match(logs.stdout, /^web-cache-\d\/\w+: .+\n$/);
    assert.match(deletion.stdout, /^ {2}StatefulSet web-cache$/m);
    const deleted = await asDeveloper('delete', 'web', '-e', HERE, '--wait');
    assert.equal(deleted.stdout, `${CACHES}/web deleted\n`);
  });

  it('approves a change request with the effect that it showed', async () => {
    const [environment, approvers] = [`asked-${process.pid}`, `approvers-${process.pid}`];
    const groups = `[{name: "oidc:team-a", role: viewer}, {name: "oidc:${approvers}", role: maintainer}]`;
    const text = `apiVersion: chandlery.dev/v1alpha1\nkind: Environment\nmetadata: {name: ${environment}}\nspec: {tier: production, groups: ${groups}}\n`;
    await addToCatalog(product, `environments/${environment}.yaml`, text);
    const isReady = async (): Promise<boolean> => at((await product.api('dev-a', `/environments/${environment}`)).body, 'ready') === true;
    await until(isReady, 'the environment is ready', 60_000);
    const body = { environment, app: CACHES, name: 'wanted', spec: {} };
    let id = '';
    const isRequested = async (): Promise<boolean> => {
      const asked = await product.api('dev-a', '/change-requests', { method: 'POST', body });
      id = textAt(asked.body, 'id') ?? '';
      return asked.status === 201;
    };
    await until(isRequested, 'the environment takes change requests', 60_000);
    const [name, stateDir] = ['approver', product.stateDir];
    const people = [{ name, displayName: 'A', email: 'a@example.com', groups: [approvers], role: name }];
    const approver = { CHANDLERY_SERVER: product.origin, CHANDLERY_TOKEN: await mintDemoToken({ stateDir, name, people }) };
    const [list, preview, local] = await Promise.all([
      chandleryWith(approver, ['approve']),
      chandleryWith(approver, ['approve', id, '--dry-run']),
      chandlery('approve'),
    ]);
    for (const { stdout, stderr } of [list, local])
      assert.match(stdout, new RegExp(`^${id} +install +${environment} +${CACHES}/wanted +oidc:dev-a `, 'm'), stderr);
    assert.match(preview.stdout, /^Ready\n/);
    const approved = await chandleryWith(approver, ['approve', id]);
    assert.equal(approved.stdout, `${CACHES}/wanted approved\n`, approved.stderr);
    assert.equal((await product.api('dev-a', `/environments/${environment}/instances/${CACHES}/wanted`)).status, 200);
  });

  it('shows what a folder would change in the cluster, and hides secrets', async () => {
    const edited = join(folder, 'edited');
    await cp(published, edited, { recursive: true });
    const source = ['--source', HERE];
    const [same, example] = await Promise.all([
      chandlery('diff', edited, ...source),
      chandlery('diff', join(repoRoot, 'catalog', 'operators', 'postgres.yaml'), '--source', 'catalog'),
    ]);
    for (const ended of [same, example]) assert.deepEqual([ended.code, ended.stdout], [0, ''], ended.stderr);
    const file = join(edited, 'environments', 'team-a.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('tier: development', 'tier: staging'));
    await rm(join(edited, 'environments', 'team-b.yaml'));
    const name = `new-${process.pid}`;
    const text = `apiVersion: operatorcontroller.kubeplus/v1\nkind: Operator\nmetadata: {name: ${name}, namespace: chandlery-system}\n`;
    const spec = 'spec: {name: new, chartURL: "https://charts.example.com/new.tgz", values: {adminPassword: correct-horse-battery}}\n';
    await writeFile(join(edited, 'new.yaml'), text + spec);
    const changed = await chandlery('diff', edited, ...source);
    assert.equal(changed.code, 3, changed.stderr);
    assert.match(changed.stdout, new RegExp(`^changed Environment ${HERE}-a\n[^]*^- +tier: development\n\\+ +tier: staging$`, 'm'));
    assert.match(changed.stdout, new RegExp(`^removed Environment ${HERE}-b$`, 'm'));
    const added = new RegExp(`^added Operator chandlery-system/${name}\n[^]*^\\+ +adminPassword: "?\\[secret\\]"?$`, 'm');
    assert.match(changed.stdout, added);
    assert.ok(!changed.stdout.includes('correct-horse'));
    await writeFile(join(edited, 'new.yaml'), `${text}spec: {name: new, chartUrl: wrong}\n`);
    const faulty = await chandlery('validate', edited, ...source);
    assert.equal(faulty.code, 3, faulty.stderr);
    assert.match(faulty.stdout, /^\S*new\.yaml:4:\d+: .*spec\.chartUrl/m);
    assert.equal((await product.api('admin', `/operators/chandlery-system/${name}`)).status, 404);
  });

  it('writes live instances as files that are valid, and syncs a source', async () => {
    const files = join(folder, 'generated');
    const generated = await asDeveloper('generate', 'orders', '-e', HERE, '-d', files);
    const file = join(files, HERE, 'caches', 'orders.yaml');
    assert.equal(generated.stdout, `${file}\n`, generated.stderr);
    const crds = join(repoRoot, 'charts', 'cache-operator', 'crds');
    const [valid, same, synced] = await Promise.all([
      chandlery('validate', files, '--allow-kind', 'Cache.samples.chandlery.dev', '--crds', crds),
      chandlery('diff', file, '--allow-kind', '*'),
      chandlery('source', 'sync', HERE, '--wait', '-o', 'json'),
    ]);
    assert.equal(valid.stdout, '1 file, 1 resource, 0 faults\n', valid.stderr);
    assert.deepEqual([same.code, same.stdout], [0, ''], same.stderr);
    assert.deepEqual([synced.code, textAt(JSON.parse(synced.stdout), 'state')], [0, 'Synced'], synced.stderr);
  });

  it('follows a log until Ctrl-C', async () => {
    const args = [join(repoRoot, 'bin', 'chandlery.mjs'), 'logs', 'orders', '-e', HERE, '--follow'];
    const env = { ...process.env, CHANDLERY_SERVER: product.origin, CHANDLERY_TOKEN: token };
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr] = [child.stdout.setEncoding('utf8'), child.stderr.setEncoding('utf8')];
    await once(stdout, 'data');
    const said: string[] = [];
    stderr.on('data', (text: string) => said.push(text));
    child.kill('SIGINT');
    assert.deepEqual(await once(child, 'exit'), [130, null]);
    assert.deepEqual(said, []);
  });

  it('stores a login for its server alone, which nobody else can read', async () => {
    const XDG_CONFIG_HOME = join(folder, 'config');
    const file = join(folder, 'login-token');
    await writeFile(file, token);
    const signedIn = await program('chandlery', ['login', product.origin, '--token-file', file], { XDG_CONFIG_HOME });
    assert.match(signedIn.stdout, /^Signed in to http:\/\/localhost:\d+ as oidc:dev-a; the token is valid until 2/, signedIn.stderr);
    const stored = join(XDG_CONFIG_HOME, 'chandlery', 'login.json');
    assert.equal((await stat(stored)).mode & 0o777, 0o600);
    const [theirs, own, other] = await Promise.all([
      program('chandlery', ['environments', '-o', 'name'], { XDG_CONFIG_HOME }),
      program('chandlery', ['environments', '-o', 'name', '--kubeconfig', product.kubeconfigPath], { XDG_CONFIG_HOME }),
      program('chandlery', ['apps', '--server', 'https://127.0.0.1:9'], { XDG_CONFIG_HOME }),
    ]);
    assert.ok(theirs.stdout.includes(`${HERE}\n`) && !theirs.stdout.includes('team-b'), theirs.stderr);
    assert.ok(own.stdout.includes('team-b\n'), own.stderr);
    assert.match(other.stderr, /there is no token/);
    await chmod(stored, 0o644);
    const exposed = await program('chandlery', ['apps'], { XDG_CONFIG_HOME });
    assert.deepEqual([exposed.code, /others can read it/.test(exposed.stderr)], [2, true]);
    assert.match((await program('chandlery', ['logout'], { XDG_CONFIG_HOME })).stderr, /others can read it/);
    await chmod(stored, 0o600);
    await program('chandlery', ['logout'], { XDG_CONFIG_HOME });
    await assert.rejects(stat(stored), { code: 'ENOENT' });
  });

  it('completes commands, options and names in bash', async () => {
    const complete = async (line: string): Promise<readonly string[]> => {
      const words = line.split(' ');
      const script = `source <(chandlery completion bash); COMP_WORDS=(${words.map((word) => `"${word}"`).join(' ')}); COMP_CWORD=${words.length - 1}; _chandlery; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = await program('bash', ['-c', script]);
      assert.equal(stderr, '');
      return stdout.trim().split('\n');
    };
    const [commands, options, formats] = await Promise.all([
      complete('chandlery en'),
      complete('chandlery tree --en'),
      complete('chandlery tree -o j'),
    ]);
    assert.deepEqual(commands, ['environments']);
    assert.deepEqual(options, ['--environment']);
    assert.deepEqual(formats, ['json']);
    // Names are left out when the cluster is slow.
    const names = async (line: string, name: string): Promise<void> =>
      await until(async () => isDeepStrictEqual(await complete(line), [name]), `${line} is completed`, 60_000);
    await Promise.all([names('chandlery explain cach', 'caches'), names(`chandlery tree -e ${HERE} caches/o`, 'caches/orders')]);
  });
});

/** The environments of the example catalogue under names of this file, and an Operator that is not installed. */
async function writeCatalog(catalog: string): Promise<void> {
  await cp(join(repoRoot, 'catalog', 'environments'), join(catalog, 'environments'), { recursive: true });
  for (const name of ['team-a.yaml', 'team-b.yaml']) {
    const file = join(catalog, 'environments', name);
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll(/^ {2}name: team-/gm, `  name: ${HERE}-`));
  }
  const chart = '{repoURL: https://charts.example.com, name: demo, version: 1.0.0}';
  const spec = `{suspend: true, chart: ${chart}, values: {replicas: 2}, catalog: {displayName: Demo, tags: [demo]}}`;
  const text = `apiVersion: operatorcontroller.kubeplus/v1\nkind: Operator\nmetadata: {name: ${HERE}, namespace: chandlery-system}\nspec: ${spec}\n`;
  await writeFile(join(catalog, 'operator.yaml'), text);
}

function sourceOf(catalog: string): string {
  return `apiVersion: chandlery.dev/v1alpha1\nkind: CatalogSource\nmetadata: {name: ${HERE}}\nspec: {folder: {path: ${catalog}}}\n`;
}
