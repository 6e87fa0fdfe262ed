import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startReplicas, type ReplicaWorld } from '../replicas/replica-world.ts';
import {
  backchannelLogout,
  expireTokens,
  install,
  logoutToken,
  replaceLeader,
  signIn,
  statusAt,
  untilOffered,
} from '../replicas/scenario.ts';
import { eventually } from '../support/eventually.ts';
import { query } from '../support/postgres.ts';

// Runs in test:all: it runs replicas over PostgreSQL and kills them.

describe('two web replicas and two controllers over PostgreSQL', { timeout: 600_000 }, () => {
  let world: ReplicaWorld;
  before(async () => {
    world = await startReplicas();
  });
  after(async () => await world?.stop());

  it('renew the tokens of a session once for fifty requests at both replicas, and sign nobody out', async () => {
    const browser = await signIn(world, 'dev-a');
    await expireTokens(world);
    const before = world.tokenCalls();
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => await statusAt(world.web[index % 2 === 0 ? 0 : 1], browser)),
    );
    assert.deepEqual([...new Set(statuses)], [200]);
    assert.equal(world.tokenCalls() - before, 1);
  });

  it('end a session on both replicas when the issuer tells one of them, and count its token once', async () => {
    const browser = await signIn(world, 'dev-b');
    const [first, second] = world.web;
    assert.equal(await statusAt(second, browser), 200);
    const token = await logoutToken(world, 'dev-b');
    assert.equal(await backchannelLogout(first, token), 200);
    assert.equal(await statusAt(second, browser), 401);
    assert.equal(await backchannelLogout(second, token), 400);
  });

  it('keep no session that a browser brought into a sign-in, and end one on both replicas when somebody signs out at one', async () => {
    const attacker = await signIn(world, 'dev-a');
    const [name = ''] = attacker.cookieNames();
    const planted = attacker.cookie(name) ?? '';
    const victim = world.browser();
    victim.setCookie(name, planted);
    await victim.signIn('dev-b');
    const copy = world.browser();
    copy.setCookie(name, victim.cookie(name) ?? '');
    for (const replica of world.web) {
      assert.equal(await statusAt(replica, attacker), 401, 'the planted session ended');
      assert.equal(await statusAt(replica, copy), 200, 'the new one is another');
    }
    await victim.submit('/logout', {});
    for (const replica of world.web) assert.equal(await statusAt(replica, copy), 401);
  });

  it('keep everybody signed in and do nothing twice while a web replica dies during use', async () => {
    const browser = await signIn(world, 'dev-a');
    await untilOffered(browser);
    const names = Array.from({ length: 12 }, (_, index) => `kill-${index}`);
    const installs = names.map(async (name) => await install(browser, name));
    await world.web[0].kill();
    const statuses = await Promise.all(installs);
    assert.equal(await statusAt(world.web[1], browser), 200);
    await world.web[0].start();
    await eventually(async () => (await statusAt(world.web[0], browser)) === 200, 'the replica knows the session', 60);
    const done = names.filter((_, index) => [201, 202].includes(statuses[index] ?? 0));
    assert.ok(done.length > 0, statuses.join());
    const rows = await query(
      world.databaseUrl,
      `SELECT event->>'target' AS target FROM chandlery_audit_events WHERE event->>'outcome' = 'succeeded'`,
    );
    const targets = rows.map(({ target }) => String(target));
    assert.equal(new Set(targets).size, targets.length, 'no entry is there twice');
    for (const name of done) assert.equal(targets.filter((target) => target.endsWith(`/${name}`)).length, 1, name);
  });

  it('have another leader within twenty seconds when the one dies', async () => {
    const taken = await replaceLeader(world);
    assert.ok(taken < 20_000, `${Math.round(taken)} ms`);
  });
});
