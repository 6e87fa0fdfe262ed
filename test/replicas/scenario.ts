import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { importJWK, SignJWT } from 'jose';
import { LEASE } from '../../src/domain/kubernetes/resource-types.ts';
import { listAt, textAt } from '../../src/domain/core/read.ts';
import { readSecrets } from '../../src/embedded/issuer/issuer-secrets.ts';
import type { CookieBrowser } from '../http/support/cookie-browser.ts';
import { eventually } from '../support/eventually.ts';
import { query } from '../support/postgres.ts';
import type { Replica } from './replica-process.ts';
import type { ReplicaWorld } from './replica-world.ts';

export const TEAM = 'team-a';
export const CACHES = 'caches.samples.chandlery.dev';

/** Signs a person in through the proxy: the sign-in may begin at one replica and end at the other. */
export async function signIn({ browser }: ReplicaWorld, person: string): Promise<CookieBrowser> {
  const own = browser();
  const page = await own.signIn(person);
  assert.equal(page.status, 200, page.url.href);
  return own;
}

/** The status of a request with the session, answered by one replica. */
export async function statusAt(replica: Replica, browser: CookieBrowser): Promise<number> {
  return (await browser.visit(new URL('/api/v1/me', replica.origin))).status;
}

/** As if an hour had passed: the tokens of every session are to be renewed. */
export async function expireTokens({ databaseUrl }: ReplicaWorld): Promise<void> {
  const due = Date.now() - 1_000;
  await query(
    databaseUrl,
    `UPDATE chandlery_sessions SET refresh_at = ${due}, record = jsonb_set(record::jsonb, '{refreshAt}', '${due}')::json WHERE refresh_at IS NOT NULL`,
  );
}

/** Waits until the app can be installed in the environment. */
export async function untilOffered(browser: CookieBrowser): Promise<void> {
  await eventually(
    async () => {
      const { text } = await browser.visit('/api/v1/environments', { headers: { accept: 'application/json' } });
      const apps = await browser.visit(`/api/v1/apps?search=cache&availability=Available`, { headers: { accept: 'application/json' } });
      return listAt(JSON.parse(text), 'items').length > 0 && listAt(JSON.parse(apps.text), 'items').length > 0;
    },
    'the app is offered',
    120,
  );
}

/** Installs by the REST API with the session of a browser; 0 where no answer came. */
export async function install(browser: CookieBrowser, name: string): Promise<number> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const body = JSON.stringify({ app: CACHES, name, spec: {} });
  const path = `/api/v1/environments/${TEAM}/instances`;
  return await browser.visit(path, { method: 'POST', headers, body, redirects: 'stop' }).then(
    ({ status }) => status,
    () => 0,
  );
}

/** Who holds the lease of the controllers now. */
export async function leaderOf({ kube }: ReplicaWorld): Promise<string> {
  const lease = await kube.asController().get({ ...LEASE, namespace: 'chandlery-system', name: 'chandlery-controller' });
  return textAt(lease, 'spec', 'holderIdentity') ?? '';
}

/** Kills the process that leads; the answer is the milliseconds until another one does. */
export async function replaceLeader(world: ReplicaWorld): Promise<number> {
  const before = await eventually(async () => await leaderOf(world), 'somebody leads', 60);
  const leads = await Promise.all(world.controllers.map(leadsNow));
  const leader = world.controllers[leads.indexOf(true)];
  assert.ok(leader !== undefined, 'one of the controllers says that it leads');
  const started = performance.now();
  await leader.kill();
  await eventually(async () => ((await leaderOf(world)) === before ? undefined : true), 'another one leads', 30);
  const taken = performance.now() - started;
  await leader.start();
  return taken;
}

async function leadsNow({ origin }: Replica): Promise<boolean> {
  const { ok, text } = await fetch(`${origin}/metrics`).then(
    async (answer) => ({ ok: answer.ok, text: await answer.text() }),
    () => ({ ok: false, text: '' }),
  );
  return ok && /^chandlery_leader 1$/m.test(text);
}

/** Tells one replica, as the issuer does, that a person has signed out; the answer is its status. */
export async function backchannelLogout(replica: Replica, token: string): Promise<number> {
  const body = new URLSearchParams({ logout_token: token });
  return (await fetch(`${replica.origin}/auth/backchannel-logout`, { method: 'POST', body })).status;
}

/** A logout token of the issuer for a person. */
export async function logoutToken({ origin, issuerDir }: ReplicaWorld, person: string): Promise<string> {
  const secrets = await readSecrets(issuerDir);
  assert.ok(secrets !== undefined);
  const now = Math.floor(Date.now() / 1000);
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  return await new SignJWT({ aud: 'chandlery', jti: randomUUID(), iat: now, exp: now + 120, sub: person, events })
    .setProtectedHeader({ alg: 'RS256', typ: 'logout+jwt', kid: secrets.signingKey.kid ?? '' })
    .setIssuer(`${origin}/issuer`)
    .sign(await importJWK(secrets.signingKey, 'RS256'));
}
