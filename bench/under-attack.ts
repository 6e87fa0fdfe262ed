import { setTimeout as sleep } from 'node:timers/promises';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ATTACKED } from '../test/attacks/people.ts';
import { startTarget, type Target } from '../test/attacks/target.ts';
import { eventually } from '../test/support/eventually.ts';
import { printRows } from './measure-run.ts';

// `npm run bench:under-attack [-- SECONDS]`: what another person notices while attackers send the worst legal requests at full speed, beside
// what the same person notices while nobody attacks.

const seconds = Number(process.argv[2] ?? 60);
const TARGETS = { pageMs: 500, rssBytes: 512 * 1024 * 1024 };
const CACHE = 'caches.samples.chandlery.dev';
const PAUSE_MS = 50;
const VICTIM = { 'X-Forwarded-For': '192.0.2.1' };

/** What one person met in a while. */
interface Experience {
  readonly title: string;
  /** Milliseconds of each page, sorted. */
  readonly pages: readonly number[];
  readonly errors: number;
  readonly rssBytes: number;
  readonly workMs: number;
}

// A proxy before us tells addresses apart, so that the limit of an attacker's address is not the victim's.
const target = await startTarget(['--trusted-proxies', '1']);
try {
  await installApps(target);
  const quiet = await experience('nobody attacks', Math.min(seconds, 15));
  const attacked = await underAttack();
  report([quiet, attacked]);
} finally {
  await target.stop();
}

async function installApps({ call }: Target): Promise<void> {
  for (let n = 0; n < 20; n += 1) {
    const body = { app: CACHE, name: `cache-${n}`, spec: {} };
    const { status, text } = await call('developer', `/api/v1/environments/${ATTACKED}/instances`, { method: 'POST', body });
    if (status !== 201) throw new Error(`the app cache-${n} was not installed: ${text}`);
  }
  const path = `/api/v1/environments/${ATTACKED}/instances/${CACHE}/cache-0`;
  await eventually(async () => (await call('developer', path)).text.includes('Healthy'), 'the apps are healthy', 120);
}

async function underAttack(): Promise<Experience> {
  const attackers = fork(join(import.meta.dirname, 'attackers.ts'), [target.origin, target.stateDir, String(seconds)]);
  const summary = once(attackers, 'message');
  const exit = once(attackers, 'exit');
  const seen = await experience(`attackers for ${seconds} s`, seconds);
  const [answers] = (await summary) as [Record<string, number>];
  await exit;
  console.log(`the attackers were answered: ${JSON.stringify(answers)}\n`);
  return seen;
}

async function experience(title: string, forSeconds: number): Promise<Experience> {
  const paths = ['/', `/environments/${ATTACKED}`, `/environments/${ATTACKED}/instances/${CACHE}/cache-0`, `/apps/${CACHE}/install`];
  const end = performance.now() + forSeconds * 1000;
  const pages: number[] = [];
  let [errors, rssBytes, workMs] = [0, 0, 0];
  await target.measure();
  for (let n = 0; performance.now() < end; n += 1) {
    const began = performance.now();
    const { status } = await target.call('developer', paths[n % paths.length] ?? '/', { headers: VICTIM });
    pages.push(performance.now() - began);
    if (status !== 200) errors += 1;
    const measured = await target.measure();
    [rssBytes, workMs] = [Math.max(rssBytes, measured.rssBytes), Math.max(workMs, measured.workMs)];
    await sleep(PAUSE_MS);
  }
  return { title, pages: pages.sort((a, b) => a - b), errors, rssBytes, workMs };
}

function report(experiences: readonly Experience[]): void {
  const at = ({ pages }: Experience, share: number): number => pages[Math.min(pages.length - 1, Math.floor(pages.length * share))] ?? 0;
  const rows = experiences.map((seen) => [
    seen.title,
    String(seen.pages.length),
    String(seen.errors),
    ...[0.5, 0.95, 0.99, 1].map((share) => at(seen, share).toFixed(0)),
    seen.workMs.toFixed(0),
    (seen.rssBytes / 1024 / 1024).toFixed(0),
  ]);
  printRows([['', 'pages', 'errors', 'p50 ms', 'p95 ms', 'p99 ms', 'longest ms', 'longest turn ms', 'RSS MiB'], ...rows]);
  const held = experiences.every((seen) => at(seen, 0.99) < TARGETS.pageMs && seen.rssBytes < TARGETS.rssBytes && seen.errors === 0);
  console.log(
    `\n${held ? 'held' : 'NOT held'}: p99 below ${TARGETS.pageMs} ms, RSS below ${TARGETS.rssBytes / 1024 / 1024} MiB, no errors`,
  );
  process.exitCode = held ? 0 : 1;
}
