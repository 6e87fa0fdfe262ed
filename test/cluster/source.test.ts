import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import {
  CATALOG_SOURCE,
  CONFIG_MAP,
  NAMESPACE,
  OPERATOR,
  ROLE_BINDING,
  SERVICE_ACCOUNT,
} from '../../src/domain/kubernetes/resource-types.ts';
import { apiVersionOf, type KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { watchFolder } from '../../src/folder/watch-folder.ts';
import { replaceFile } from '../support/replace-file.ts';
import { eventually } from '../support/eventually.ts';
import { isSuspended, newSourceName, operatorDocument, type SourceWorld, startSourceWorld } from '../support/source-world.ts';
import { RUN } from '../support/run-name.ts';

const ROLE = { ...ROLE_BINDING, resource: 'roles', kind: 'Role' };
let world: SourceWorld;
let folder: string;
let source: string;

before(async () => {
  world = await startSourceWorld();
});
after(() => world.stop());

describe('a catalogue folder', () => {
  let cleanUp: () => Promise<void>;
  beforeEach(async () => {
    source = newSourceName();
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-catalog-'));
    const stopping = new AbortController();
    const name = source;
    const watching = watchFolder(folder, () => world.wake(name), stopping.signal);
    cleanUp = async () => {
      stopping.abort();
      await watching;
      await world.remove(name);
      await rm(folder, { recursive: true, force: true });
    };
  });
  afterEach(() => cleanUp());

  it('is live after a change, long before its interval is over, and what leaves it leaves the cluster', async () => {
    await save('a.yaml', `${operator('a')}---\n${operator('b')}`);
    await save('sub/c.yml', operator('c'));
    await world.declare(source, { folder: { path: folder }, pruneDelay: '1s' });
    const status = await world.untilReason(source, 'Synced');
    assert.deepEqual(
      status.inventory.map(({ file, name }) => `${file} ${name}`),
      [`a.yaml ${nameOf('a')}`, `a.yaml ${nameOf('b')}`, `sub/c.yml ${nameOf('c')}`],
    );
    assert.equal((await live('a'))?.metadata.labels?.['chandlery.dev/source'], source);

    const annotations = { 'chandlery.dev/reconcile-at': 'now' };
    await world.kube.asController().patch({ ...CATALOG_SOURCE, name: source }, { type: 'merge', body: { metadata: { annotations } } });
    await eventually(async () => (await world.status(source))?.lastHandledReconcileAt === 'now', 'the request is handled');

    await save('a.yaml', operator('a', 'suspend: true'));
    await eventually(
      async () => (await live('b')) === undefined && (await live('a'))?.spec !== undefined && isSuspended(await live('a')),
      'the change is live',
    );
    await rm(join(folder, 'sub', 'c.yml'));
    await eventually(async () => (await live('c')) === undefined, 'what left the folder is gone');
    assert.ok(await live('a'));
  });

  it('writes nothing while it is in sync, and so gives itself no cause to look again', async () => {
    await save('a.yaml', `${operator('a')}---\n${operator('b')}`);
    await world.declare(source, { folder: { path: folder } });
    await world.untilReason(source, 'Synced');
    const version = async () => (await world.kube.asController().get({ ...CATALOG_SOURCE, name: source })).metadata.resourceVersion;
    await eventually(
      async () => {
        const [before, calls] = [await version(), world.calls()];
        // Everything is applied again, as spec.selfHealInterval says.
        world.advanceClock(10 * 60_000);
        await world.reconcile(source);
        return world.calls() > calls && before === (await version());
      },
      'it is at rest',
      10,
    );
  });

  it('keeps the last good version of a faulty document, names file, line and fault, and applies everything else', async () => {
    await save('a.yaml', `${operator('a')}---\n${operator('b')}`);
    await world.declare(source, { folder: { path: folder }, pruneDelay: '1s' });
    await world.untilReason(source, 'Synced');
    await save('a.yaml', `${operator('a', 'suspend: true\n  colour: red')}---\n${operator('c')}`);
    const status = await world.untilReason(source, 'Invalid');
    assert.deepEqual(
      status.faults.map(({ file, line, column, resource }) => [file, line, column, resource]),
      [['a.yaml', 8, 3, `Operator default/${nameOf('a')}`]],
    );
    assert.match(status.faults[0]?.message ?? '', /spec\.colour/);
    assert.equal(isSuspended(await live('a')), false);
    assert.ok(await live('b'), 'a file with a fault prunes nothing');
    assert.ok(await live('c'));
    const reported = () => world.lines.filter((line) => line.includes(source) && line.includes('a.yaml:8')).length;
    await eventually(async () => reported() > 0, 'the log names the fault');
    assert.equal(reported(), 1, world.lines.join(''));
    await save('a.yaml', '');
    await eventually(
      async () => (await world.status(source))?.faults[0]?.message.startsWith('the file is empty') === true,
      'the file is a fault',
    );
    assert.ok(await live('b'), 'a program that is about to write the file deletes nothing');
    await save('a.yaml', `${operator('a')}---\n${operator('c')}`);
    await eventually(async () => (await live('b')) === undefined, 'what the file has no document of any more is removed');
    await world.untilReason(source, 'Synced');
  });

  const faults: readonly { title: string; text: () => string; line: number; message: RegExp }[] = [
    {
      title: 'a value of the wrong type',
      text: () => operator('x', 'suspend: [yes]'),
      line: 7,
      message: /"spec\.suspend" must be a boolean/,
    },
    { title: 'a value that the rules of the kind reject', text: () => operator('x', 'interval: 2s'), line: 7, message: /at least 10s/ },
    {
      title: 'a value that is not in the list',
      text: () => operator('x', 'deletionPolicy: Maybe'),
      line: 7,
      message: /spec\.deletionPolicy: "Maybe" is not one of/,
    },
    {
      title: 'a namespace that does not exist',
      text: () => operator('x').replace('metadata:', 'metadata:\n  namespace: nowhere'),
      line: 4,
      message: /there is no namespace "nowhere"/,
    },
    {
      title: 'a field that is missing',
      text: () =>
        'apiVersion: operatorcontroller.kubeplus/v1\nkind: Operator\nmetadata: {name: x}\nspec:\n  name: x\n  chart:\n    name: x\n',
      line: 6,
      message: /^spec\.chart\.repoURL: is required$/,
    },
    { title: 'a YAML error', text: () => 'kind: Operator\n  name: x\n', line: 1, message: /invalid YAML/ },
  ];
  for (const { title, text, line, message } of faults) {
    it(`reports ${title} on its line`, async () => {
      await save('good.yaml', operator('good'));
      await save('bad.yaml', text());
      await world.declare(source, { folder: { path: folder } });
      const status = await world.untilReason(source, 'Invalid');
      assert.equal(status.faults[0]?.file, 'bad.yaml');
      assert.match(status.faults[0].message, message);
      assert.equal(status.faults[0].line, line);
      assert.ok(await live('good'));
      assert.equal(await live('x'), undefined);
    });
  }

  it('removes nothing when it is emptied or vanishes, and says what to do', async () => {
    await save('a.yaml', operator('a'));
    await world.declare(source, { folder: { path: folder } });
    await world.untilReason(source, 'Synced');
    await rename(join(folder, 'a.yaml'), join(folder, 'a.txt'));
    assert.match((await world.untilReason(source, 'FolderEmpty')).faults[0]?.message ?? '', /delete the CatalogSource/);
    await rm(folder, { recursive: true });
    await world.untilReason(source, 'FolderMissing');
    assert.ok(await live('a'));
    await mkdir(folder);
    await save('a.yaml', operator('a'));
    await world.untilReason(source, 'Synced');
  });

  it('does not take fields from a person who changed them in the cluster, and names who did', async () => {
    await save('a.yaml', operator('a', 'interval: 20m'));
    await world.declare(source, { folder: { path: folder } });
    await world.untilReason(source, 'Synced');
    const ref = { ...OPERATOR, namespace: 'default', name: nameOf('a') };
    await world.kube.asController().patch(ref, { type: 'merge', body: { spec: { interval: '30m' } } }, { fieldManager: 'a-person' });
    await save('a.yaml', operator('a', 'interval: 40m'));
    const status = await world.untilReason(source, 'Invalid');
    assert.match(status.faults[0]?.message ?? '', /"a-person".*spec\.interval/);
    assert.equal(status.faults[0]?.line, 7);
  });
});

describe('a source of a team', () => {
  const namespace = `team-${RUN}`;
  const cluster = () => world.kube.asController();
  const config = (name: string, more = ''): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;

  before(async () => {
    source = newSourceName();
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-team-'));
    const metadata = { name: 'deployer', namespace };
    const subjects = [{ kind: 'ServiceAccount', name: 'deployer', namespace }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'deployer' };
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'patch', 'delete'] }];
    await cluster().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await cluster().create(SERVICE_ACCOUNT, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    await cluster().create(ROLE, { apiVersion: apiVersionOf(ROLE), kind: 'Role', metadata, rules });
    await cluster().create(ROLE_BINDING, { apiVersion: apiVersionOf(ROLE), kind: 'RoleBinding', metadata, roleRef, subjects });
  });
  after(async () => {
    await world.remove(source);
    await rm(folder, { recursive: true, force: true });
    await cluster().delete({ ...NAMESPACE, name: namespace });
  });

  it('holds the kinds and namespaces of its settings, with the permissions of its account and no more', async () => {
    await save('a.yaml', config('settings'));
    await save('b.yaml', config('stolen', '  namespace: kube-system\n'));
    await save('c.yaml', config('secret').replace('ConfigMap', 'Secret'));
    await save('d.yaml', config('service').replace('ConfigMap', 'Service'));
    await world.declare(source, {
      folder: { path: folder },
      pruneDelay: '1s',
      mode: 'Namespaced',
      namespaces: [namespace],
      serviceAccount: { namespace, name: 'deployer' },
      owner: 'team-a',
      allowedKinds: ['ConfigMap', 'Secret'].map((kind) => ({ group: '', kind })),
    });
    const { faults, inventory } = await world.untilReason(source, 'Invalid');
    const [b, c, d] = faults.map(({ file, line, message }) => `${file}:${line}: ${message}`);
    assert.match(b ?? '', /^b\.yaml:5: ConfigMap stolen is in namespace "kube-system"; the source is Namespaced/);
    assert.match(
      c ?? '',
      /^c\.yaml:1: .*User "system:serviceaccount:.*:deployer" cannot (get|patch) resource "secrets" in API group "" in the namespace "team-/,
    );
    assert.match(d ?? '', /^d\.yaml:2: Service \(v1\) is not allowed in this source; it accepts ConfigMap and Secret; /);
    assert.deepEqual(
      inventory.map(({ namespace: place, name }) => `${place} ${name}`),
      [`${namespace} settings`],
    );
    const { metadata } = await cluster().get({ ...CONFIG_MAP, namespace, name: 'settings' });
    assert.equal(metadata.labels?.['chandlery.dev/team'], 'team-a');

    await save('b.yaml', config('more'));
    await rm(join(folder, 'a.yaml'));
    await rm(join(folder, 'c.yaml'));
    await rm(join(folder, 'd.yaml'));
    world.wake(source);
    await world.untilReason(source, 'Synced');
    const left = async (): Promise<readonly string[]> => {
      const { items } = await cluster().list(CONFIG_MAP, { namespace, labelSelector: `chandlery.dev/source=${source}` });
      return items.map(({ metadata: { name } }) => name);
    };
    await eventually(async () => isDeepStrictEqual(await left(), ['more']), 'only what has a document is left');
  });

  it('cannot be declared with namespaces and without the mode, or the other way round', async () => {
    const message = /namespaces belong to the mode Namespaced, and it needs at least one/;
    await assert.rejects(world.declare('wrong', { folder: { path: '/x' }, mode: 'Namespaced' }), message);
    await assert.rejects(world.declare('wrong', { folder: { path: '/x' }, namespaces: ['a'] }), message);
  });
});

function operator(name: string, more = ''): string {
  return operatorDocument(nameOf(name), more);
}

function nameOf(name: string): string {
  return `${name}-${source}`;
}

async function live(name: string): Promise<KubeObject | undefined> {
  return await world.operator(nameOf(name));
}

async function save(file: string, text: string): Promise<void> {
  await mkdir(join(folder, file, '..'), { recursive: true });
  await replaceFile(join(folder, file), text);
}
