import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import type { Actor } from '../../../src/domain/kubernetes/actor.ts';
import type { AppError } from '../../../src/domain/core/errors.ts';
import { listAt, textAt } from '../../../src/domain/core/read.ts';
import { applyMergePatch } from '../../../src/domain/core/merge-patch.ts';
import type { JsonObject, KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { createChangeRequest, type ChangeRequestDraft } from '../../../src/operation/change-request/create-change-request.ts';
import {
  approveChangeRequest,
  declineChangeRequest,
  withdrawChangeRequest,
} from '../../../src/operation/change-request/decide-change-request.ts';
import { createRequestCount, listChangeRequests } from '../../../src/operation/change-request/list-change-requests.ts';
import { showChangeRequest } from '../../../src/operation/change-request/show-change-request.ts';
import { createStore } from '../../../src/store/create-store.ts';
import { sampleSeal } from '../../support/sample-seal.ts';
import { APP, ASKS, DAY, MAY, OTHER, READS, worldOf } from '../../support/change-request-world.ts';
import { EVERY_ENTRY } from '../../support/sample-audit-log.ts';

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
    const store = await createStore({ file: join(folder, `${count}.json`), seal: sampleSeal(), clock: () => clock.now() });
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
    assert.match(id, /^team\.orders-[0-9a-f]{8}$/);
    const forMay = await showChangeRequest(ports, MAY, id);
    assert.deepEqual([forMay.mine, forMay.mayDecide, forMay.preflight?.verdict], [false, true, 'Ready']);
    assert.match(
      forMay.command ?? '',
      /^kubectl patch changerequest orders-[0-9a-f]{8} --namespace team-ns --type merge --patch '\{.*"by":"oidc:may"/,
    );
    const forReader = await showChangeRequest(ports, READS, id);
    assert.equal(forReader.command, undefined);
    assert.deepEqual([forReader.mine, forReader.mayDecide, forReader.preflight?.verdict], [false, false, 'Blocked']);
    assert.equal((await showChangeRequest(ports, ASKS, id)).mine, true);
    const words = async (who: Actor, which: string): Promise<string> =>
      await showChangeRequest(ports, who, which).then(
        () => 'seen',
        (error: AppError) => `${error.code} ${error.message}`,
      );
    assert.match(await words(OTHER, id), /^NotFound/);
    assert.equal(await words(OTHER, id), await words(OTHER, '0'.repeat(32)));
    world.requests.clear();
    assert.equal(await words(ASKS, id), await words(OTHER, id), 'what is gone is nothing to anybody');
  });

  it('is carried out in the name of who approves, exactly as it was shown, and signed by both', async () => {
    const { ports, ask, decide, world, store } = await start();
    const { id, content } = await ask();
    assert.deepEqual(content, { size: 1, note: 'mine' });
    const { digest = '', preflight } = await showChangeRequest(ports, MAY, id);
    await approveChangeRequest(ports, MAY, { ...decide(id), digest });
    const { spec, metadata } = world.live.get('orders') as KubeObject;
    assert.deepEqual([spec, metadata.annotations], [preflight?.object.spec, preflight?.object.metadata.annotations]);
    const annotations = { 'requested-by': ASKS.user, 'approved-by': MAY.user, 'created-by': MAY.user };
    const signed = Object.entries(annotations).map(([name, user]) => [`chandlery.dev/${name}`, user]);
    assert.deepEqual(metadata.annotations, Object.fromEntries(signed));
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
      [MAY.user, 'apply change request', 'succeeded', ''],
      [ASKS.user, 'create change request', 'succeeded', 'r1'],
    ]);
  });

  it('is applied once, although the controller dies before it says so', async () => {
    const { ports, ask, decide, world, reconcileRequest } = await start();
    const { id } = await ask();
    const { digest = '' } = await showChangeRequest(ports, MAY, id);
    await approveChangeRequest(ports, MAY, { ...decide(id), digest });
    const [request] = world.requests.values();
    assert.ok(request);
    const { name } = request.metadata;
    world.requests.set(name, { ...request, status: { phase: 'Approved', decidedAt: new Date(world.now).toISOString() } });
    await reconcileRequest(name);
    assert.equal(textAt(world.requests.get(name), 'status', 'phase'), 'Applied');
    assert.equal(world.live.get('orders')?.metadata.generation, 1);
    assert.deepEqual(world.events.slice(0, 2), [`${name} Approved`, `${name} Applied`]);
  });

  const decided = async (by: Actor, { guarded = true }: { readonly guarded?: boolean } = {}) => {
    const made = await start();
    await made.ask();
    const [request] = made.world.requests.values();
    assert.ok(request);
    const decision = { verdict: 'Approved', by: by.user, groups: by.groups, message: '', delivery: 'Apply' };
    const spec = applyMergePatch(request.spec ?? {}, { decision }) as JsonObject;
    made.world.requests.set(request.metadata.name, { ...request, spec });
    made.world.guarded = guarded;
    return { ...made, name: request.metadata.name, status: () => made.world.requests.get(request.metadata.name)?.status };
  };

  it('that kubectl approves is applied with the permissions of the approver, and with nobody else’s', async () => {
    const allowed = await decided(MAY);
    await allowed.reconcileRequest(allowed.name);
    assert.equal(textAt(allowed.status(), 'phase'), 'Applied');
    for (const [by, why] of [
      [READS, 'Forbidden'],
      [ASKS, 'Forbidden'],
      [OTHER, 'NotFound'],
      [{ user: 'system:admin', groups: ['system:masters'] }, 'ActorMissing'],
      [{ user: MAY.user, groups: [] }, 'ActorMissing'],
    ] as const) {
      const rejected = await decided(by);
      await rejected.reconcileRequest(rejected.name);
      const [applied] = listAt(rejected.status(), 'conditions');
      assert.deepEqual(
        [textAt(rejected.status(), 'phase'), textAt(applied, 'type'), textAt(applied, 'reason')],
        ['Failed', 'Applied', why],
      );
      assert.equal(rejected.world.live.size, 0, by.user);
    }
  });

  it('that kubectl creates with a secret is declined, and never says the secret', async () => {
    const { world, ask, reconcileRequest } = await start();
    await ask();
    const [request] = world.requests.values();
    assert.ok(request);
    const { name } = request.metadata;
    const spec = applyMergePatch(request.spec ?? {}, { content: { password: 'hunter2' } }) as JsonObject;
    world.requests.set(name, { ...request, spec });
    await reconcileRequest(name);
    const status = world.requests.get(name)?.status;
    assert.deepEqual([textAt(status, 'phase'), textAt(status, 'message')?.split(':')[0]], ['Declined', 'spec.password']);
    assert.doesNotMatch(stringifyJson(status), /hunter2/);
  });

  it('is not applied while the admission policy that vouches for its names is not in force', async () => {
    const { world, reconcileRequest, name, status } = await decided(MAY, { guarded: false });
    await assert.rejects(reconcileRequest(name), { code: 'ClusterUnavailable' });
    assert.deepEqual([textAt(status(), 'phase'), world.live.size], ['Approved', 0]);
    world.guarded = true;
    await reconcileRequest(name);
    assert.deepEqual([textAt(status(), 'phase'), world.live.size], ['Applied', 1]);
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
    world.now += 14 * DAY + 10_000;
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
    assert.equal(world.reviews, 4, 'where each may approve, and what MAY may write');
    await ask({ name: 'third' });
    assert.equal(await countFor(MAY), 3, 'a new one counts at once');
    assert.equal(world.reviews, 5);
    world.now += 60_000;
    await countFor(MAY);
    assert.equal(world.reviews, 8);
  });

  it('is one of fifty that a person may have open', async () => {
    const { ask } = await start();
    for (let asked = 0; asked < 50; asked += 1) await ask({ name: `n${asked}` });
    await assert.rejects(ask({ name: 'more' }), { code: 'LimitReached' });
  });

  it('beyond the limits that kubectl can pass is declined by the controller, and closed ones go in the end', async () => {
    const { world, ask, reconcileRequest } = await start();
    await ask();
    const [first] = world.requests.values();
    assert.ok(first);
    const copies = Array.from({ length: 50 }, (_, index) => `copy-${index + 10}`);
    const later = new Date(world.now + 1000).toISOString();
    for (const name of copies) {
      world.requests.set(name, { ...first, metadata: { ...first.metadata, name, uid: name, creationTimestamp: later } });
    }
    await reconcileRequest('copy-58');
    await reconcileRequest('copy-59');
    const phaseOf = (name: string): string | undefined => textAt(world.requests.get(name), 'status', 'phase');
    assert.deepEqual([phaseOf('copy-58'), phaseOf('copy-59')], ['Open', 'Declined']);
    world.now += 14 * DAY + 1000;
    await reconcileRequest('copy-58');
    await reconcileRequest('copy-59');
    assert.deepEqual([phaseOf('copy-58'), world.requests.has('copy-59')], ['Expired', false]);
  });
});
