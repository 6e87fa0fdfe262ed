import assert from 'node:assert/strict';
import { cp, mkdtemp, realpath, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { conditionsOf, findCondition } from '../../src/domain/kubernetes/condition.ts';
import {
  CATALOG_SOURCE,
  ENVIRONMENT,
  EVENT,
  NAMESPACE,
  OPERATOR,
  PERSISTENT_VOLUME_CLAIM,
} from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { eventually } from '../support/eventually.ts';
import { replaceFile } from '../support/replace-file.ts';
import { RUN } from '../support/run-name.ts';
import { isSuspended, operatorDocument, startSourceWorld, type SourceWorld } from '../support/source-world.ts';

const source = `removals-${RUN}`;
const nameOf = (name: string): string => `${name}-${RUN}`;
/** A source removes what has lost its document after a minute. */
const DELAY_MS = 60_000;

let world: SourceWorld;
let folder: string;

before(async () => {
  world = await startSourceWorld();
  folder = await realpath(await mkdtemp(join(tmpdir(), 'chandlery-removals-')));
  for (const name of ['a', 'c', 'd', 'e', 'f']) await save(name);
  // With Block, an admission policy rejects the deletion as long as there are instances, whoever approves it.
  await save('b', 'deletionPolicy: Cascade');
  await world.declare(source, { folder: { path: folder } });
  await world.untilReason(source, 'Synced');
});
after(async () => {
  await world.remove(source);
  await world.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('a resource that has lost its document', () => {
  it('is pending removal, which the resource, the source and events say, and the return of its file ends that', async () => {
    const { uid } = (await live('a')).metadata;
    await rename(join(folder, 'a.yaml'), join(folder, 'a.txt'));
    await world.reconcile(source);
    const { pendingRemovals, removals } = await reconciled();
    assert.equal(removals, 1);
    assert.deepEqual(
      pendingRemovals.map(({ resource, file, loss, removeAt, since }) => [
        resource,
        file,
        loss,
        Date.parse(removeAt ?? '') - Date.parse(since),
      ]),
      [[`Operator default/${nameOf('a')}`, 'a.yaml', undefined, DELAY_MS]],
    );
    const condition = findCondition(conditionsOf(await live('a')), 'PendingRemoval');
    assert.equal(condition?.reason, 'Waiting');
    assert.match(
      condition.message,
      new RegExp(
        `^The CatalogSource ${source} no longer has a document of this resource \\(it was in a.yaml\\). Chandlery removes the resource at `,
      ),
    );
    assert.match(await world.problem(source), /5 resources of 5 files are live; 1 resource without a document pending removal/);
    await eventually(async () => (await eventsAbout(nameOf('a'), 'PendingRemoval')).length > 0, 'an event tells it');

    world.advanceClock(DELAY_MS / 2);
    await rename(join(folder, 'a.txt'), join(folder, 'a.yaml'));
    await world.reconcile(source);
    const back = await reconciled();
    assert.deepEqual([back.removals, back.pendingRemovals], [undefined, []]);
    assert.equal(findCondition(conditionsOf(await live('a')), 'PendingRemoval'), undefined);
    assert.equal((await live('a')).metadata.uid, uid);
    // The next removal begins its own minute.
    world.advanceClock(DELAY_MS);
    await rm(join(folder, 'a.yaml'));
    await world.reconcile(source);
    assert.equal((await live('a')).metadata.deletionTimestamp, undefined);
  });

  it('is removed a minute later when it holds nothing', async () => {
    world.advanceClock(DELAY_MS);
    await world.reconcile(source);
    await eventually(async () => (await find('a')) === undefined, 'it is gone');
    assert.equal((await reconciled()).removals, undefined);
  });

  it('waits for an approval of the revision when it has instances', async () => {
    await hasInstances('b', 3);
    await rm(join(folder, 'b.yaml'));
    await world.reconcile(source);
    const { pendingRemovals, revision = '', conditions } = await world.untilReason(source, 'PruneNotApproved');
    assert.deepEqual(
      pendingRemovals.map(({ resource, loss, removeAt }) => [resource, loss, removeAt]),
      [[`Operator default/${nameOf('b')}`, 'with 3 instances', undefined]],
    );
    assert.equal(findCondition(conditions, 'PendingRemoval')?.reason, 'ApprovalNeeded');
    world.advanceClock(10 * DELAY_MS);
    await world.reconcile(source);
    assert.equal((await live('b')).metadata.deletionTimestamp, undefined);
    // An approval is for one revision.
    await approve('sha256:another');
    await world.reconcile(source);
    assert.equal((await live('b')).metadata.deletionTimestamp, undefined);
    await approve(revision);
    await world.untilReason(source, 'Synced');
    await eventually(async () => (await find('b')) === undefined, 'it is gone');
    // The same content later is the same revision of a folder, and a decision of its own.
    await save('b', 'deletionPolicy: Cascade');
    await world.reconcile(source);
    await hasInstances('b', 2);
    await rm(join(folder, 'b.yaml'));
    await world.reconcile(source);
    const again = await world.untilReason(source, 'PruneNotApproved');
    assert.equal(again.revision, revision);
    world.advanceClock(10 * DELAY_MS);
    await world.reconcile(source);
    assert.equal((await live('b')).metadata.deletionTimestamp, undefined);
    await approve(revision);
    await world.untilReason(source, 'Synced');
    await eventually(async () => (await find('b')) === undefined, 'it is gone');
  });

  it('waits for an approval when the revision removes more than 30 % and at least two', async () => {
    for (const name of ['c', 'd']) await rm(join(folder, `${name}.yaml`));
    await save('e', 'suspend: true');
    await world.reconcile(source);
    await world.untilReason(source, 'PruneNotApproved');
    assert.match(
      await world.problem(source),
      /would remove 2 of 4 resources \(Operator default\/c-.*\); everything else is live\. To undo it, restore/,
    );
    assert.ok(isSuspended(await live('e')));
    world.advanceClock(DELAY_MS);
    await world.reconcile(source);
    for (const name of ['c', 'd']) assert.equal((await live(name)).metadata.deletionTimestamp, undefined);
    for (const name of ['c', 'd']) await save(name);
    await world.reconcile(source);
    await world.untilReason(source, 'Synced');
  });

  it('waits for an approval when it is an Environment whose people would lose access', async () => {
    const cluster = world.kube.asController();
    const environment = nameOf('held');
    const document = `apiVersion: chandlery.dev/v1alpha1\nkind: Environment\nmetadata: {name: ${environment}}\nspec:\n  tier: development\n  groups: [{name: "oidc:b", role: developer}, {name: "oidc:a", role: viewer}]\n  subjects: [{kind: User, name: "oidc:ada", role: maintainer}, {kind: User, name: "oidc:bob", role: viewer}]\n`;
    await replaceFile(join(folder, 'held.yaml'), document);
    await world.reconcile(source);
    await world.untilReason(source, 'Synced');
    const object = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name: environment } };
    await cluster.applyStatus(ENVIRONMENT, { ...object, status: { namespace: environment } }, { fieldManager: 'hands', force: 'force' });
    await cluster.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: environment } });
    await cluster.create(PERSISTENT_VOLUME_CLAIM, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: environment },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await rm(join(folder, 'held.yaml'));
    await world.reconcile(source);
    const { pendingRemovals, revision = '' } = await world.untilReason(source, 'PruneNotApproved');
    assert.deepEqual(
      pendingRemovals.map(({ loss }) => loss),
      ['with the access of Group oidc:a (viewer), Group oidc:b (developer), User oidc:ada (maintainer) and 1 more to 1 volume claim'],
    );
    await approve(revision);
    await world.reconcile(source);
    await world.untilReason(source, 'Synced');
  });
});

describe('a resource whose document has another name', () => {
  const environment = (name: string): string =>
    `apiVersion: chandlery.dev/v1alpha1\nkind: Environment\nmetadata: {name: ${name}}\nspec: {tier: development, namespace: ${nameOf('moves')}}\n`;
  const read = async (name: string): Promise<KubeObject | undefined> =>
    await ifFound(world.kube.asController().get({ ...ENVIRONMENT, name }));

  it('moves, in both directions, without a delay', async () => {
    const [old, young] = [nameOf('old'), nameOf('young')];
    await replaceFile(join(folder, 'moves.yaml'), environment(old));
    await world.reconcile(source);
    await replaceFile(join(folder, 'moves.yaml'), environment(young));
    await world.reconcile(source);
    assert.equal((await read(young))?.metadata.annotations?.['chandlery.dev/moved-from'], old);
    assert.equal(await read(old), undefined);
    assert.equal((await reconciled()).removals, undefined);
    // The annotation stays until the next move.
    world.advanceClock(10 * DELAY_MS);
    await world.reconcile(source);
    assert.equal((await read(young))?.metadata.annotations?.['chandlery.dev/moved-from'], old);
    await replaceFile(join(folder, 'moves.yaml'), environment(old));
    await world.reconcile(source);
    assert.equal((await read(old))?.metadata.annotations?.['chandlery.dev/moved-from'], young);
    assert.equal(await read(young), undefined);
  });

  it('is an Operator that moves with its Helm release, also when the controller dies between the two steps', async () => {
    const [old, young] = [nameOf('captain'), nameOf('skipper')];
    const operator = (name: string): string => operatorDocument(name, `releaseName: ${old}`, 'ship');
    await replaceFile(join(folder, 'operator.yaml'), operator(old));
    await world.reconcile(source);
    const former = await world.operator(old);
    await replaceFile(join(folder, 'operator.yaml'), operator(young));
    await world.reconcile(source);
    assert.equal((await world.operator(young))?.metadata.annotations?.['chandlery.dev/moved-from'], `default/${old}`);
    assert.equal(await world.operator(old), undefined);
    // Both are there and in the inventory when the controller dies before it deletes the former one.
    const { namespace, labels } = former?.metadata ?? {};
    const metadata = { name: old, namespace: namespace ?? '', labels: labels ?? {} };
    await world.kube
      .asController()
      .create(OPERATOR, { apiVersion: former?.apiVersion ?? '', kind: OPERATOR.kind, metadata, spec: former?.spec });
    const { inventory } = await reconciled();
    const [item] = inventory.filter(({ name }) => name === young);
    const { uid: _uid, movedFrom: _former, ...address } = item ?? {};
    const body = { status: { inventory: [...inventory, { ...address, name: old }] } };
    await world.kube.asController().patch({ ...CATALOG_SOURCE, name: source }, { type: 'merge', body }, { subresource: 'status' });
    await replaceFile(join(folder, 'operator.yaml'), `${operator(young)}# read again\n`);
    await world.reconcile(source);
    assert.equal(await world.operator(old), undefined);
    assert.equal((await reconciled()).removals, undefined);
    await replaceFile(join(folder, 'operator.yaml'), operator(old));
    await world.reconcile(source);
    assert.equal((await world.operator(old))?.metadata.annotations?.['chandlery.dev/moved-from'], `default/${young}`);
    assert.equal(await world.operator(young), undefined);
  });

  it('is an Operator that stays when its Helm release cannot move, and the fault names the field', async () => {
    const [old, young] = [nameOf('captain'), nameOf('skipper')];
    const uid = (await world.operator(old))?.metadata.uid;
    await replaceFile(join(folder, 'operator.yaml'), operatorDocument(young, '', 'ship'));
    await world.reconcile(source);
    const { faults, removals } = await world.untilReason(source, 'Invalid');
    const why = `Helm cannot move the release default/${old} to default/${young}; set spec.releaseName to "${old}" for a rename`;
    assert.deepEqual(
      faults.map(({ file, line, resource, message }) => [file, line, resource, message]),
      [
        [
          'operator.yaml',
          5,
          `Operator default/${young}`,
          `it has the chart of Operator default/${old}, which this revision removes: ${why}, or remove the one and add the other in two revisions`,
        ],
      ],
    );
    assert.deepEqual([(await world.operator(old))?.metadata.uid, await world.operator(young), removals], [uid, undefined, undefined]);
    await replaceFile(join(folder, 'operator.yaml'), operatorDocument(old, `releaseName: ${old}`, 'ship'));
    await world.reconcile(source);
    await world.untilReason(source, 'Synced');
  });

  it('stays when the new one is rejected', async () => {
    const [old, young] = [nameOf('old'), nameOf('young')];
    await replaceFile(join(folder, 'moves.yaml'), environment(young).replace('tier: development', 'unknown: 1'));
    await world.reconcile(source);
    await world.untilReason(source, 'Invalid');
    assert.equal((await read(old))?.metadata.deletionTimestamp, undefined);
    await replaceFile(join(folder, 'moves.yaml'), environment(old));
    await world.reconcile(source);
    await world.untilReason(source, 'Synced');
  });
});

describe('the folder of a source', () => {
  it('is not another one before somebody confirms it', async () => {
    const other = await realpath(await mkdtemp(join(tmpdir(), 'chandlery-other-')));
    await replaceFile(join(other, 'x.yaml'), operatorDocument(nameOf('x')));
    await world.declare(source, { folder: { path: other } });
    const { inventory, pendingRemovals } = await world.untilReason(source, 'OriginChanged');
    assert.deepEqual([inventory.length > 0, pendingRemovals], [true, []]);
    const sentence = `the source was ${folder} until now, and its spec names ${other}; nothing was applied or deleted`;
    assert.ok((await world.problem(source)).startsWith(sentence));
    assert.equal(await find('x'), undefined);
    // To go back is no decision.
    await world.declare(source, { folder: { path: folder } });
    await world.untilReason(source, 'Synced');
    // The same content elsewhere is the same source.
    const moved = `${folder}-moved`;
    await cp(folder, moved, { recursive: true });
    await world.declare(source, { folder: { path: moved } });
    await eventually(async () => (await reconciled()).origin === moved, 'it has moved');
    await world.declare(source, { folder: { path: other } });
    await world.untilReason(source, 'OriginChanged');
    const body = { metadata: { annotations: { 'chandlery.dev/confirmed-origin': other } } };
    await world.kube.asController().patch({ ...CATALOG_SOURCE, name: source }, { type: 'merge', body }, { fieldManager: 'test' });
    // What the old one had is a removal like others.
    const confirmed = await world.untilReason(source, 'PruneNotApproved');
    assert.equal(confirmed.origin, other);
    const { metadata } = await world.kube.asController().get({ ...CATALOG_SOURCE, name: source });
    assert.equal(metadata.annotations?.['chandlery.dev/confirmed-origin'], undefined, 'the confirmation is for one change');
    assert.ok(await find('x'));
    assert.equal((await live('c')).metadata.deletionTimestamp, undefined);
    for (const path of [other, moved]) await rm(path, { recursive: true });
  });
});

async function save(name: string, more = ''): Promise<void> {
  await replaceFile(join(folder, `${name}.yaml`), operatorDocument(nameOf(name), more));
}

async function reconciled() {
  const status = await world.status(source);
  assert.ok(status);
  return status;
}

async function find(name: string): Promise<KubeObject | undefined> {
  return await ifFound(world.kube.asController().get({ ...OPERATOR, namespace: 'default', name: nameOf(name) }));
}

async function live(name: string): Promise<KubeObject> {
  const object = await find(name);
  assert.ok(object, `${name} is there`);
  return object;
}

/** As the controller of Operators counts them. */
async function hasInstances(name: string, instances: number): Promise<void> {
  const { apiVersion, kind } = await live(name);
  const status = { crds: [{ name: 'boats.example.com', kind: 'Boat', origin: 'crds', established: true, instances }] };
  const object = { apiVersion, kind, metadata: { name: nameOf(name), namespace: 'default' }, status };
  await world.kube.asController().applyStatus(OPERATOR, object, { fieldManager: 'hands', force: 'force' });
}

async function approve(revision: string): Promise<void> {
  const body = { metadata: { annotations: { 'chandlery.dev/approved-prune': revision } } };
  await world.kube.asController().patch({ ...CATALOG_SOURCE, name: source }, { type: 'merge', body }, { fieldManager: 'test' });
}

async function eventsAbout(name: string, reason: string): Promise<readonly KubeObject[]> {
  const fieldSelector = `involvedObject.name=${name},reason=${reason}`;
  return (await world.kube.asController().list(EVENT, { namespace: 'default', fieldSelector })).items;
}
