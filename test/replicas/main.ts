import type { CookieBrowser } from '../http/support/cookie-browser.ts';
import { query } from '../support/postgres.ts';
import { eventually } from '../support/eventually.ts';
import { startReplicas, type ReplicaWorld } from './replica-world.ts';
import { CACHES, expireTokens, install, replaceLeader, signIn, TEAM, untilOffered } from './scenario.ts';
import { elapse } from '../support/elapse.ts';

// `npm run test:replicas -- --rounds N`: people use two web replicas through a proxy, installing and watching, while in each round one of the four processes dies at
// a random moment. Nobody may be signed out, nothing may be done twice, and another controller has to lead within twenty seconds.

if (process.argv[2] === 'at-rest') await import('./at-rest.ts');

const MAX_TAKEOVER_MS = 20_000;
const rounds = Number(process.argv[process.argv.indexOf('--rounds') + 1] ?? '') || 8;
/** The instance whose page is open. */
const WATCHED = 'watched';
const PEOPLE = ['dev-a', 'dev-a', 'dev-a'] as const;

interface Tally {
  requests: number;
  unanswered: number;
  signedOut: number;
  streams: number;
  readonly created: Set<string>;
  readonly takeovers: number[];
  kills: number;
}

const tally: Tally = { requests: 0, unanswered: 0, signedOut: 0, streams: 0, created: new Set(), takeovers: [], kills: 0 };
const world = await startReplicas();
try {
  const browsers = await Promise.all(PEOPLE.map(async (person) => await signIn(world, person)));
  const [first] = browsers;
  if (first === undefined) throw new Error('nobody is signed in');
  await untilOffered(first);
  await install(first, WATCHED);
  const stop = new AbortController();
  const use = browsers.map(async (browser, index) => await work(browser, index, stop.signal));
  const watch = browsers.map(async (browser) => await stream(browser, stop.signal));
  for (let round = 0; round < rounds; round += 1) await killOne(world, round);
  stop.abort();
  await Promise.all([...use, ...watch]);
  process.exitCode = await report(world);
} finally {
  await world.stop();
}

/** Reads and installs, again and again, until it is over. */
async function work(browser: CookieBrowser, person: number, signal: AbortSignal): Promise<void> {
  for (let count = 0; !signal.aborted; count += 1) {
    note(await statusOf(browser));
    if (count % 4 === 0) {
      const name = `p${person}-${count}`;
      const status = await install(browser, name);
      note(status);
      if (status === 201 || status === 202) tally.created.add(name);
    }
    await elapse(250, signal);
  }
}

function note(status: number): void {
  tally.requests += 1;
  if (status === 401 || status === 302) tally.signedOut += 1;
  if (status === 0 || status === 502) tally.unanswered += 1;
}

async function statusOf(browser: CookieBrowser): Promise<number> {
  return await browser.visit('/api/v1/me').then(
    ({ status }) => status,
    () => 0,
  );
}

/** A live page: opened again whenever it ends, as a browser does. */
async function stream(browser: CookieBrowser, signal: AbortSignal): Promise<void> {
  const cookie = browser
    .cookieNames()
    .map((name) => `${name}=${browser.cookie(name) ?? ''}`)
    .join('; ');
  while (!signal.aborted) {
    const headers = { cookie, accept: 'text/event-stream' };
    const answer = await fetch(`${world.origin}/environments/${TEAM}/instances/${CACHES}/${WATCHED}/stream`, { headers, signal }).catch(
      () => undefined,
    );
    if (answer?.ok === true) tally.streams += 1;
    if (answer?.status === 401) tally.signedOut += 1;
    await answer?.text().catch(() => '');
    await elapse(500, signal);
  }
}

/** In turn: the leader, a web replica at a random moment, and a web replica in the moment in which tokens are renewed. */
async function killOne(at: ReplicaWorld, round: number): Promise<void> {
  await elapse(Math.random() * 3_000);
  tally.kills += 1;
  if (round % 3 === 0) {
    tally.takeovers.push(await replaceLeader(at));
    return;
  }
  const victim = at.web[round % 2 === 0 ? 0 : 1];
  if (round % 3 === 2) await expireTokens(at);
  await victim.kill();
  await victim.start();
  await victim.ready();
}

async function report(at: ReplicaWorld): Promise<number> {
  const succeeded = `SELECT event->>'target' AS target FROM chandlery_audit_events WHERE event->>'outcome' = 'succeeded'`;
  const rows = await eventually(async () => await query(at.databaseUrl, succeeded), 'the audit log is read');
  const targets = rows.map(({ target }) => String(target));
  const twice = targets.length - new Set(targets).size;
  const missing = [...tally.created].filter((name) => !targets.includes(`${TEAM}/${CACHES}/${name}`));
  const slowest = Math.max(0, ...tally.takeovers);
  console.log(`requests ${tally.requests}, of them without an answer ${tally.unanswered}; streams opened ${tally.streams}`);
  console.log(`processes killed ${tally.kills}; tokens asked of the issuer ${at.tokenCalls()}`);
  console.log(`leaders replaced after ${tally.takeovers.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(', ')}`);
  console.log(`instances created ${tally.created.size}; audit events ${targets.length}, twice ${twice}, missing ${missing.length}`);
  console.log(`signed out ${tally.signedOut}`);
  return tally.signedOut === 0 && twice === 0 && missing.length === 0 && slowest < MAX_TAKEOVER_MS && tally.created.size > 0 ? 0 : 1;
}
