import assert from 'node:assert/strict';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../support/eventually.ts';
import type { Attack } from './attack.ts';
import { ATTACKED } from './people.ts';
import { nowSeconds, signedToken } from './signed-token.ts';
import type { Target } from './target.ts';
import { elapse } from '../support/elapse.ts';

const APP = 'caches.samples.chandlery.dev';
const INSTANCES = `/api/v1/environments/${ATTACKED}/instances`;
const PAGE = `/environments/${ATTACKED}/instances/${APP}/watched`;
/** Calls to the api-server a second that fifty streams of one person may cause: two readings of at most thirty. */
const MAX_CALLS = 60;
const SECONDS = 5;

export const attacks: readonly Attack[] = [
  {
    title: 'a developer opens live streams without end, with one token and with many',
    run: async (target) => {
      const body = { app: APP, name: 'watched', spec: {} };
      const created = await target.call('developer', INSTANCES, { method: 'POST', body });
      assert.ok([201, 409].includes(created.status), created.text);
      await eventually(async () => (await target.call('developer', PAGE)).status === 200, 'the page is there');
      const streams = new Streams(target);
      try {
        const one = await target.token('developer');
        const ofOne = await streams.open(15, one);
        assert.deepEqual([ofOne.filter((status) => status === 200).length, ofOne.filter((status) => status === 409).length], [10, 5]);
        for (let session = 0; session < 8; session += 1) await streams.open(10, await target.token('developer'));
        assert.equal(streams.count, 50);
        // What the streams show is watched, so of itself it costs nothing. The page that is opened meanwhile does.
        const page = elapse(1_000).then(async () => (await target.call('developer', PAGE)).status);
        const calls = await callsOf(target, 'oidc:developer');
        assert.equal(await page, 200, 'the page still answers');
        assert.ok(calls > 0 && calls <= MAX_CALLS, `${calls} calls a second for fifty streams`);
      } finally {
        await streams.leave();
      }
      return 95;
    },
  },
  {
    title: 'somebody keeps a stream open after the sign-out, and after the token has expired',
    run: async (target) => {
      const browser = target.browser();
      await browser.signIn('admin');
      const name = `chandlery-${new URL(target.origin).port}`;
      const bySession = await read(target, '/operators/stream', { cookie: `${name}=${browser.cookie(name)}` });
      const now = nowSeconds();
      const claims = { sub: 'admin', preferred_username: 'admin', groups: ['platform'], iat: now - 3570, exp: now - 27 };
      const byToken = await read(target, '/operators/stream', { authorization: `Bearer ${await signedToken(target, claims)}` });
      assert.deepEqual([bySession.status, byToken.status], [200, 200]);
      await browser.submit('/logout', {});
      for (const { text } of [bySession, byToken])
        await eventually(() => Promise.resolve(text().includes('event: signed-out\n')), 'the stream says that the session has ended', 10);
      return 2;
    },
  },
  {
    title: 'somebody reads by a stream what they may not read by its page',
    run: async (target) => {
      const paths = [`${PAGE}/stream`, `/environments/${ATTACKED}/instances/${APP}/none/stream`, '/operators/stream'];
      for (const person of ['stranger', 'neighbour'] as const) {
        for (const path of paths) {
          const { status } = await target.call(person, path);
          assert.ok([403, 404].includes(status), `${person} at ${path}: ${status}`);
        }
      }
      return 2 * paths.length;
    },
  },
];

class Streams {
  readonly #target: Target;
  readonly #open: { leave(): void; readonly ended: Promise<void> }[] = [];

  constructor(target: Target) {
    this.#target = target;
  }

  get count(): number {
    return this.#open.length;
  }

  async open(count: number, token: string): Promise<readonly number[]> {
    const asked = Array.from(
      { length: count },
      async () => await read(this.#target, `${PAGE}/stream`, { authorization: `Bearer ${token}` }),
    );
    const streams = await Promise.all(asked);
    this.#open.push(...streams.filter(({ status }) => status === 200));
    return streams.map(({ status }) => status);
  }

  async leave(): Promise<void> {
    for (const { leave } of this.#open) leave();
    await Promise.all(this.#open.map(async ({ ended }) => await ended));
  }
}

async function read({ origin }: Target, path: string, headers: Readonly<Record<string, string>>) {
  const left = new AbortController();
  const answer = await fetch(`${origin}${path}`, { headers: { ...headers, accept: 'text/event-stream' }, signal: left.signal });
  let text = '';
  const drain = async (): Promise<void> => {
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString();
  };
  return { status: answer.status, text: () => text, ended: drain().catch(() => undefined), leave: () => left.abort() };
}

/** Calls a second that the product makes as somebody, by the audit log of the api-server. */
async function callsOf({ stateDir }: Target, user: string): Promise<number> {
  const file = join(stateDir, 'audit.log');
  const before = (await stat(file)).size;
  await elapse(SECONDS * 1000);
  const handle = await open(file);
  try {
    const { buffer } = await handle.read({ buffer: Buffer.alloc((await handle.stat()).size - before), position: before });
    const lines = buffer.toString().split('\n');
    return lines.filter((line) => line.includes(`"impersonatedUser":{"username":"${user}"`)).length / SECONDS;
  } finally {
    await handle.close();
  }
}
