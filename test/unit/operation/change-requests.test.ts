import assert from 'node:assert/strict';
import { createAuditPort } from '../../../src/compose/create-audit-port.ts';
import { createLog } from '../../../src/observe/log.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Actor } from '../../../src/domain/kubernetes/actor.ts';
import type { Cluster } from '../../../src/domain/kubernetes/cluster.ts';
import { AppError } from '../../../src/domain/core/errors.ts';
import type { KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { createChangeRequest, type ChangeRequestDraft } from '../../../src/operation/change-request/create-change-request.ts';
import {
  approveChangeRequest,
  declineChangeRequest,
  withdrawChangeRequest,
} from '../../../src/operation/change-request/decide-change-request.ts';
import { createRequestCount, listChangeRequests } from '../../../src/operation/change-request/list-change-requests.ts';
import type { Ports } from '../../../src/operation/ports.ts';
import { showChangeRequest } from '../../../src/operation/change-request/show-change-request.ts';
import { createStore } from '../../../src/store/create-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { EVERY_ENTRY } from '../../support/sample-audit-log.ts';

const SILENT = createLog({ level: 'silent', format: 'json', write: () => undefined });

const ASKS: Actor = { user: 'oidc:asks', groups: ['oidc:team'] };
const MAY: Actor = { user: 'oidc:may', groups: ['oidc:leads'] };
const READS: Actor = { user: 'oidc:reads', groups: ['oidc:team'] };
const OTHER: Actor = { user: 'oidc:other', groups: ['oidc:elsewhere'] };
const DAY = 24 * 3_600_000;
const APP = 'caches.example.com';

const CRD: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: APP, labels: { 'chandlery.dev/operator': 'sys.cache' } },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Cache', plural: 'caches' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer' }, note: { type: 'string' }, password: { type: 'string' } } },
            },
          },
        },
      },
    ],
  },
  status: { conditions: [{ type: 'Established', status: 'True' }] },
};
const operatorWith = (defaults: object): KubeObject => ({
  apiVersion: 'operatorcontroller.kubeplus/v1',
  kind: 'Operator',
  metadata: { name: 'cache', namespace: 'sys' },
  spec: { name: 'cache', catalog: { kinds: [{ kind: 'Cache', defaults: { spec: defaults } }] } },
  status: { status: 'READY', crds: [{ name: APP, kind: 'Cache', established: true }] },
});

/** A cluster of one environment that the four people have their permissions in, with a clock that the test moves. */
function worldOf(store: Store) {
  const world = {
    now: 1_700_000_000_000,
    live: new Map<string, KubeObject>(),
    defaults: { size: 1 } as object,
    clusterUid: 'c1',
    reviews: 0,
  };
  const permissions: Readonly<Record<string, readonly string[]>> = {
    [MAY.user]: ['get', 'create', 'update'],
    [READS.user]: ['get'],
    [ASKS.user]: ['get'],
  };
  const clusterOf = (actor: Actor): Partial<Cluster> => {
    const may = (verb: string): boolean => (permissions[actor.user] ?? []).includes(verb);
    const guard = (verb: string): void => {
      if (!may(verb)) throw new AppError('Forbidden', `${actor.user} may not ${verb}`);
    };
    return {
      get: async ({ resource, name }) => {
        if (resource === 'environments' && actor !== OTHER && name === 'team') {
          const conditions = [{ type: 'Ready', status: 'True' }];
          return { apiVersion: 'x/v1', kind: 'Environment', metadata: { name }, spec: { namespace: 'team-ns' }, status: { conditions } };
        }
        const object = resource === 'caches' && may('get') ? world.live.get(name) : undefined;
        if (object === undefined) throw new AppError('NotFound', `${name}: none`);
        return structuredClone(object);
      },
      list: async () => ({ items: [], resourceVersion: '1' }),
      review: async ({ verb }) => {
        world.reviews += 1;
        return { allowed: may(verb), reason: '' };
      },
      create: async (_type, object, options) => {
        guard('create');
        const { name } = object.metadata;
        const stored = { ...object, metadata: { ...object.metadata, uid: `u-${name}`, generation: 1, resourceVersion: '1' } };
        if (options?.dryRun === undefined) world.live.set(name, stored);
        return { object: stored, warnings: [] };
      },
      replace: async (_type, object, options) => {
        guard('update');
        const { metadata } = object;
        const stored = { ...object, metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 } };
        if (options?.dryRun === undefined) world.live.set(metadata.name, stored);
        return { object: stored, warnings: [] };
      },
    };
  };
  const ports = {
    clusters: { asActor: clusterOf },
    catalog: {
      operators: () => [operatorWith(world.defaults)],
      customResourceDefinitions: () => [CRD],
      environments: () => [],
      catalogSources: () => [],
    },
    chart: async () => undefined,
    health: { evaluate: async () => undefined, faults: () => [] },
    publicUrl: 'http://h',
    changeRequests: { table: store.changeRequests, cluster: async () => world.clusterUid, now: () => world.now },
    auditLog: createAuditPort(store.auditLog, SILENT),
  } as unknown as Ports;
  return { world, ports };
}

describe('a change request with an address', () => {
  let folder: string;
  let count = 0;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chandlery-changeRequests-'));
  });
  after(() => rm(folder, { recursive: true }));

  const start = async () => {
    count += 1;
    const clock = { now: (): number => 0 };
    const store = await createStore({ file: join(folder, `${count}.json`), clock: () => clock.now() });
    const made = worldOf(store);
    clock.now = () => made.world.now;
    const wish = (change: Partial<ChangeRequestDraft> = {}): ChangeRequestDraft => ({
      action: 'install',
      environment: 'team',
      app: APP,
      name: 'orders',
      spec: { note: 'mine' },
      message: ' please ',
      via: 'page',
      requestId: 'r1',
      ...change,
    });
    const ask = async (change: Partial<ChangeRequestDraft> = {}) => await createChangeRequest(made.ports, ASKS, wish(change));
    const decide = (id: string) => ({ id, via: 'page', requestId: 'r2' }) as const;
    return { ...made, store, ask, decide };
  };

  it('shows who may see it what it would do for them, and is nothing to everybody else', async () => {
    const { ports, ask, world } = await start();
    const { id } = await ask();
    const forMay = await showChangeRequest(ports, MAY, id);
    assert.deepEqual([forMay.mine, forMay.mayDecide, forMay.preflight?.verdict], [false, true, 'Ready']);
    const forReader = await showChangeRequest(ports, READS, id);
    assert.deepEqual([forReader.mine, forReader.mayDecide, forReader.preflight?.verdict], [false, false, 'Blocked']);
    assert.equal((await showChangeRequest(ports, ASKS, id)).mine, true);
    const words = async (who: Actor, which: string): Promise<string> =>
      await showChangeRequest(ports, who, which).then(
        () => 'seen',
        (error: AppError) => `${error.code} ${error.message}`,
      );
    assert.match(await words(OTHER, id), /^NotFound/);
    assert.equal(await words(OTHER, id), await words(OTHER, '0'.repeat(32)));
    world.clusterUid = 'another';
    assert.match(await words(ASKS, id), /^NotFound/, 'in another cluster it is nothing');
  });

  it('is carried out in the name of who approves, exactly as it was shown, and signed by both', async () => {
    const { ports, ask, decide, world, store } = await start();
    const { id, content } = await ask();
    assert.deepEqual(content, { size: 1, note: 'mine' });
    const { digest = '', preflight } = await showChangeRequest(ports, MAY, id);
    await approveChangeRequest(ports, MAY, { ...decide(id), digest });
    const { spec, metadata } = world.live.get('orders') as KubeObject;
    assert.deepEqual([spec, metadata.annotations], [preflight?.object.spec, preflight?.object.metadata.annotations]);
    assert.deepEqual(metadata.annotations, { 'chandlery.dev/requested-by': ASKS.user, 'chandlery.dev/approved-by': MAY.user });
    const after = (await showChangeRequest(ports, ASKS, id)).changeRequest;
    assert.deepEqual([after.state, after.decidedBy], ['approved', MAY.user]);
    const lines = (await store.auditLog.search(EVERY_ENTRY)).map(({ user, action, outcome, requestId }) => [
      user,
      action,
      outcome,
      requestId,
    ]);
    assert.deepEqual(lines, [
      [MAY.user, 'approve change request', 'succeeded', 'r2'],
      [ASKS.user, 'create change request', 'succeeded', 'r1'],
    ]);
  });

  it('does not grow by what the catalogue starts instances with later', async () => {
    const { ports, ask, decide, world } = await start();
    const { id } = await ask();
    const { digest = '' } = await showChangeRequest(ports, MAY, id);
    world.defaults = { size: 9, note: 'theirs', password: 'x' };
    await approveChangeRequest(ports, MAY, { ...decide(id), digest });
    assert.deepEqual(world.live.get('orders')?.spec, { size: 1, note: 'mine' });
  });

  it('is written for nobody who lacks the permission, nor under the digest of somebody else', async () => {
    const { ports, ask, decide, world } = await start();
    const { id } = await ask();
    const [mine, theirs] = [await showChangeRequest(ports, ASKS, id), await showChangeRequest(ports, MAY, id)];
    await assert.rejects(approveChangeRequest(ports, ASKS, { ...decide(id), digest: mine.digest ?? '' }), { code: 'Forbidden' });
    await assert.rejects(approveChangeRequest(ports, MAY, { ...decide(id), digest: mine.digest ?? '' }), { code: 'Conflict' });
    await assert.rejects(approveChangeRequest(ports, MAY, { ...decide(id), digest: '' }), { code: 'Conflict' });
    await assert.rejects(approveChangeRequest(ports, OTHER, { ...decide(id), digest: theirs.digest ?? '' }), { code: 'NotFound' });
    assert.equal(world.live.size, 0);
    assert.equal((await showChangeRequest(ports, MAY, id)).changeRequest.state, 'open');
  });

  it('lays a change over what is there now, says that it moved, and asks again', async () => {
    const { ports, ask, decide, world } = await start();
    const live: KubeObject = {
      apiVersion: 'example.com/v1',
      kind: 'Cache',
      metadata: { name: 'orders', namespace: 'team-ns', uid: 'u', generation: 1, annotations: { kept: 'yes' } },
      spec: { size: 1, note: 'a', password: 'hunter2' },
    };
    world.live.set('orders', live);
    const change = { action: 'change', spec: { size: 2, password: 'hunter2' } } as const;
    const { id, content } = await ask(change);
    assert.deepEqual(content, { size: 2, note: null }, 'a secret that stays is no part of it');
    const before = await showChangeRequest(ports, MAY, id);
    assert.equal(before.instanceChanged, false);
    world.live.set('orders', { ...live, metadata: { ...live.metadata, generation: 2 }, spec: { size: 1, note: 'b', password: 'other' } });
    await assert.rejects(approveChangeRequest(ports, MAY, { ...decide(id), digest: before.digest ?? '' }), { code: 'Conflict' });
    const again = await showChangeRequest(ports, MAY, id);
    assert.equal(again.instanceChanged, true);
    await approveChangeRequest(ports, MAY, { ...decide(id), digest: again.digest ?? '' });
    const written = world.live.get('orders');
    assert.deepEqual(written?.spec, { size: 2, password: 'other' });
    assert.equal(written?.metadata.annotations?.['kept'], 'yes');
  });

  it('takes no secret, no null, nothing that changes nothing, and nothing too long', async () => {
    const { ask, world } = await start();
    await assert.rejects(ask({ spec: { password: 'hunter2' } }), (error: AppError) => {
      assert.equal(error.code, 'InvalidInput');
      assert.equal(error.faults[0]?.field, 'spec.password');
      assert.doesNotMatch(error.message, /hunter2/);
      return true;
    });
    await assert.rejects(ask({ secrets: [{ name: 's', key: 'k' }] }), { code: 'InvalidInput' });
    await assert.rejects(ask({ message: 'x'.repeat(1001) }), { code: 'InvalidInput' });
    await assert.rejects(ask({ spec: { note: 'x'.repeat(70_000) } }), { code: 'TooLarge' });
    const metadata = { name: 'orders', uid: 'u', generation: 1 };
    world.live.set('orders', { apiVersion: 'example.com/v1', kind: 'Cache', metadata, spec: { size: 1 } });
    await assert.rejects(ask({ action: 'change', spec: { size: 1 } }), { code: 'InvalidInput' });
    await assert.rejects(ask({ action: 'change', spec: { size: null } }), { code: 'InvalidInput' });
  });

  it('ends by a no, a withdrawal or its time, and then nothing opens it', async () => {
    const { ports, ask, decide, world } = await start();
    const [declined, withdrawn, late] = [await ask(), await ask(), await ask()];
    const { digest = '' } = await showChangeRequest(ports, MAY, late.id);
    await assert.rejects(declineChangeRequest(ports, READS, { ...decide(declined.id), reason: 'no' }), { code: 'Forbidden' });
    await assert.rejects(withdrawChangeRequest(ports, MAY, decide(withdrawn.id)), { code: 'Forbidden' });
    await declineChangeRequest(ports, MAY, { ...decide(declined.id), reason: ' too large ' });
    await withdrawChangeRequest(ports, ASKS, decide(withdrawn.id));
    assert.equal((await showChangeRequest(ports, ASKS, declined.id)).changeRequest.decisionMessage, 'too large');
    world.now += 14 * DAY;
    await assert.rejects(approveChangeRequest(ports, MAY, { ...decide(late.id), digest }), { code: 'ChangeRequestClosed' });
    for (const { id } of [declined, withdrawn, late]) {
      await assert.rejects(declineChangeRequest(ports, MAY, { ...decide(id), reason: '' }), { code: 'ChangeRequestClosed' });
      assert.equal((await showChangeRequest(ports, MAY, id)).preflight, undefined);
    }
    assert.equal(world.live.size, 0);
  });

  it('is listed for who asked and for who may decide, and counted without asking for the same permission again', async () => {
    const { ports, ask, world } = await start();
    await ask();
    await ask({ name: 'second' });
    const lists = async (who: Actor): Promise<number[]> => {
      const { mine, waiting } = await listChangeRequests(ports, who);
      return [mine.length, waiting.length];
    };
    assert.deepEqual(
      [await lists(ASKS), await lists(MAY), await lists(READS), await lists(OTHER)],
      [
        [2, 0],
        [0, 2],
        [0, 0],
        [0, 0],
      ],
    );
    const countFor = createRequestCount(ports);
    world.reviews = 0;
    assert.deepEqual([await countFor(MAY), await countFor(MAY), await countFor(ASKS)], [2, 2, 0]);
    assert.equal(world.reviews, 1);
    world.now += 60_000;
    await countFor(MAY);
    assert.equal(world.reviews, 2);
  });

  it('is one of fifty that a person may have open', async () => {
    const { ask } = await start();
    for (let asked = 0; asked < 50; asked += 1) await ask({ name: `n${asked}` });
    await assert.rejects(ask({ name: 'more' }), { code: 'LimitReached' });
  });
});
