import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { dateConditions } from '../../../charts/controller-runtime/conditions.ts';
import { readCredentials } from '../../../charts/controller-runtime/credentials.ts';
import { newPassword } from '../../../charts/controller-runtime/passwords.ts';
import { parseQuantity, toMebibytes } from '../../../charts/controller-runtime/quantity.ts';
import { WorkQueue } from '../../../charts/controller-runtime/work-queue.ts';

describe('A quantity', () => {
  const cases: readonly (readonly [string, number])[] = [
    ['500m', 0.5],
    ['2', 2],
    ['1k', 1000],
    ['128Mi', 134_217_728],
    ['1.5Gi', 1_610_612_736],
  ];
  for (const [text, value] of cases) it(`${text} is ${value}`, () => assert.equal(parseQuantity(text), value));

  it('that is none is refused', () => {
    assert.throws(() => parseQuantity('much'), RangeError);
  });

  it('is rounded up to whole mebibytes', () => assert.equal(toMebibytes(1.5 * 2 ** 20), '2Mi'));
});

describe('A condition', () => {
  it('keeps the time of its transition while its status is the same', () => {
    const before = { type: 'Ready', status: 'True', reason: 'A', message: 'a', observedGeneration: 1, lastTransitionTime: 'then' } as const;
    const at = { now: new Date('2026-01-02T03:04:05.678Z'), generation: 2 };
    const [same] = dateConditions([{ ...before, reason: 'B' }], [before], at);
    assert.equal(same?.lastTransitionTime, 'then');
    assert.equal(same?.observedGeneration, 2);
    const [changed] = dateConditions([{ ...before, status: 'False' }], [before], at);
    assert.equal(changed?.lastTransitionTime, '2026-01-02T03:04:05Z');
  });
});

describe('A password', () => {
  it('is 32 letters and digits, and never the same twice', () => {
    assert.match(newPassword(), /^[A-Za-z0-9]{32}$/);
    assert.notEqual(newPassword(), newPassword());
  });

  it('favours no letter: bytes beyond the last full round are thrown away', () => {
    const bytes = [255, 0, 250, 61];
    let at = 0;
    assert.match(
      newPassword((count) => Buffer.from(Array.from({ length: count }, () => bytes[at++ % bytes.length] ?? 0))),
      /^(A9)+$/,
    );
  });
});

describe('A work queue', () => {
  it('never handles a key twice at once, and handles it again when it changed meanwhile', async () => {
    const stop = new AbortController();
    const queue = new WorkQueue(() => undefined);
    let [active, most, handled] = [0, 0, 0];
    const handler = async (): Promise<undefined> => {
      active += 1;
      most = Math.max(most, active);
      if (handled === 0) queue.add('a');
      await new Promise(setImmediate);
      handled += 1;
      active -= 1;
      if (handled === 2) stop.abort();
    };
    queue.add('a');
    queue.add('a');
    await queue.run(4, handler, stop.signal);
    assert.deepEqual({ most, handled }, { most: 1, handled: 2 });
  });

  it('tries again what failed', async () => {
    const stop = new AbortController();
    const failed: string[] = [];
    const queue = new WorkQueue((key) => failed.push(key));
    let tries = 0;
    queue.add('a');
    const handler = async (): Promise<undefined> => {
      tries += 1;
      if (tries === 1) throw new Error('not yet');
      stop.abort();
    };
    await queue.run(2, handler, stop.signal);
    assert.deepEqual({ tries, failed }, { tries: 2, failed: ['a'] });
  });

  it('wakes every worker for keys that come one after the other', async () => {
    const stop = new AbortController();
    const queue = new WorkQueue(() => undefined);
    const { promise: allBusy, resolve } = Promise.withResolvers<void>();
    const busy = new Set<string>();
    const handler = async (key: string): Promise<undefined> => {
      busy.add(key);
      if (busy.size === 3) resolve();
      await allBusy;
    };
    const running = queue.run(3, handler, stop.signal);
    for (const key of ['a', 'b', 'c']) {
      await new Promise(setImmediate);
      queue.add(key);
    }
    await allBusy;
    stop.abort();
    await running;
    assert.equal(busy.size, 3);
  });
});

describe('Credentials', () => {
  it('come from the kubeconfig, with files beside it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chandlery-credentials-'));
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(join(folder, 'token'), 'first\n');
    await writeFile(
      kubeconfig,
      JSON.stringify({
        'current-context': 'it',
        contexts: [{ name: 'it', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:6443/', 'certificate-authority-data': btoa('authority') } }],
        users: [{ name: 'u', user: { tokenFile: 'token' } }],
      }),
    );
    const read = (): ReturnType<typeof readCredentials> => readCredentials({ KUBECONFIG: kubeconfig });
    assert.deepEqual(await read(), { server: 'https://127.0.0.1:6443', ca: 'authority', token: 'first' });
    await writeFile(join(folder, 'token'), 'second');
    assert.equal((await read()).token, 'second');
    await rm(folder, { recursive: true });
  });

  it('are missed with a sentence about what to set', async () => {
    await assert.rejects(readCredentials({}), /set KUBECONFIG/);
  });
});
