import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Actor } from '../../../../src/domain/kubernetes/actor.ts';
import { AppError } from '../../../../src/domain/core/errors.ts';
import { createLongWork } from '../../../../src/web/page/long-work.ts';
import { EXAMPLE_OPERATOR } from '../../../../src/web/operator/new-operator-page.ts';
import type { Answer, Visit } from '../../../../src/web/page/page.ts';
import { sampleOperations } from '../../../support/sample-operations.ts';
import { type SampleWeb, startSampleWeb } from '../../../support/sample-web.ts';

type LongWork = ReturnType<typeof createLongWork>;
type Job = Parameters<LongWork['join']>[2];

const WORDS = { title: 'It is looked at', text: 'Much to do.', crumbs: [] };
const ANN: Actor = { user: 'oidc:ann', groups: ['oidc:a'] };
const DONE: Answer = { redirect: '/done' };

describe('work that takes longer than a look', () => {
  it('is answered at once when it is done at once', async () => {
    const work = createLongWork({ patience: 10_000 });
    assert.deepEqual(
      await work.join(
        visitOf(ANN),
        '/a',
        jobOf(async () => DONE),
      ),
      DONE,
    );
    assert.deepEqual(
      await work.begin(
        visitOf(ANN),
        '/a',
        jobOf(async () => DONE),
      ),
      DONE,
    );
  });

  it('goes on while the browser asks again, and is given once', async () => {
    const { work, job, runs, finish } = slow();
    for (const _ of [1, 2]) {
      const answer = await work.join(visitOf(ANN), '/a?b', job);
      assert.deepEqual(refreshOf(answer), { seconds: 2, address: '/a?b' });
    }
    finish();
    assert.deepEqual(await work.join(visitOf(ANN), '/a?b', job), DONE);
    assert.equal(runs(), 1);
    await work.join(visitOf(ANN), '/a?b', job);
    assert.equal(runs(), 2);
  });

  it('of a form gets an address of its own, which is for nobody else', async () => {
    const { work, job, finish } = slow();
    const begun = await work.begin(visitOf(ANN), '/new', job);
    const address = 'redirect' in begun ? begun.redirect : '';
    assert.match(address, /^\/new\?check=[0-9a-f]{32}$/);
    const query = address.slice(address.indexOf('?'));
    assert.deepEqual(refreshOf(await work.find(visitOf(ANN, query), '/new', WORDS)), { seconds: 2, address });
    for (const other of [
      { ...ANN, user: 'oidc:bob' },
      { ...ANN, groups: ['oidc:b'] },
    ]) {
      await assert.rejects(work.find(visitOf(other, query), '/new', WORDS), { code: 'NotFound' });
    }
    finish();
    for (const _ of [1, 2]) assert.deepEqual(await work.find(visitOf(ANN, query), '/new', WORDS), DONE);
  });

  it('that fails says so to anybody who asks, and can be tried again', async () => {
    const work = createLongWork();
    let runs = 0;
    const job = jobOf(async () => {
      runs += 1;
      throw new Error('away');
    });
    for (const _ of [1, 2]) await assert.rejects(work.join(visitOf(ANN), '/a', job), /away/);
    assert.equal(runs, 2);
  });

  it('is kept for ten minutes, three at once of one person, whatever others do', async () => {
    let time = 0;
    const work = createLongWork({ patience: 1, now: () => time });
    const never = jobOf(() => new Promise<Answer>(() => undefined));
    const begin = async (actor: Actor, job = never): Promise<Answer> => await work.begin(visitOf(actor), '/new', job);
    for (let count = 0; count < 3; count += 1) await begin(ANN);
    for (let count = 0; count < 300; count += 1) await assert.rejects(begin(ANN), { code: 'LimitReached' });
    for (let person = 0; person < 300; person += 1) assert.ok('redirect' in (await begin({ ...ANN, user: `oidc:${person}` })));
    time = 600_001;
    assert.ok('redirect' in (await begin(ANN)));
  });

  it('that is over takes no place: the last five results are kept, and a failure until it is shown', async () => {
    const work = createLongWork({ patience: 0 });
    let end: () => void = () => undefined;
    const failing = jobOf(async () => {
      await new Promise<void>((resolve) => (end = resolve));
      throw new AppError('ChartUnreachable', 'chart: away');
    });
    const queries: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      const begun = await work.begin(visitOf(ANN), '/new', failing);
      queries.push('redirect' in begun ? begun.redirect.slice('/new'.length) : '');
      end();
      await nextTurn();
    }
    const find = async (query = ''): Promise<Answer> => await work.find(visitOf(ANN, query), '/new', WORDS);
    await assert.rejects(find(queries[6]), { code: 'NotFound' });
    await assert.rejects(find(queries[7]), { code: 'ChartUnreachable' });
    await assert.rejects(find(queries[7]), { code: 'NotFound' });
    await assert.rejects(find(queries[11]), { code: 'ChartUnreachable' });
  });
});

const webs: SampleWeb[] = [];
after(async () => Promise.all(webs.map(async (web) => web.stop())));

test('a check that takes long is a page that looks again by itself, without JavaScript, and ends in the checked resource', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<undefined>();
  const web = await startSampleWeb({
    preflightOperator: async (actor, operator) => {
      await gate;
      return await sampleOperations().preflightOperator(actor, operator);
    },
  });
  webs.push(web);
  const headers = { Cookie: 'chandlery=admin', Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' };
  const body = new URLSearchParams({ manifest: EXAMPLE_OPERATOR.replace('version: 1.0.0', 'version: 1.0.0 # mine'), _do: 'check' });
  const begun = await fetch(`${web.url}/operators/new`, { method: 'POST', body, redirect: 'manual', headers });
  const address = begun.headers.get('location') ?? '';
  assert.equal(begun.status, 303);
  const waiting = await fetch(`${web.url}${address}`, { headers });
  assert.equal(waiting.headers.get('refresh'), `2; url=${address}`);
  const html = await waiting.text();
  assert.match(html, /<h1>Checking the new Operator<\/h1>[\s\S]*role="status"/);
  assert.equal(html.match(/Chandlery fetches and renders the chart/g)?.length, 1);
  open(undefined);
  const checked = await (await fetch(`${web.url}${address}`, { headers })).text();
  assert.match(checked, /Deployment queue-operator/);
  assert.match(checked, /version: 1\.0\.0 # mine/);
});

function slow(): { readonly work: LongWork; readonly job: Job; readonly runs: () => number; readonly finish: () => void } {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  let runs = 0;
  const job = jobOf(async () => {
    runs += 1;
    return await promise;
  });
  return { work: createLongWork({ patience: 1 }), job, runs: () => runs, finish: () => resolve(DONE) };
}

function jobOf(run: Job['run']): Job {
  return { words: WORDS, run };
}

function visitOf(actor: Actor, query = ''): Visit {
  return {
    actor,
    me: Promise.resolve({ ...actor, name: '', admin: true }),
    requestOrigin: { via: 'page', requestId: '' },
    query: new URLSearchParams(query),
    body: new URLSearchParams(),
    param: () => '',
  };
}

function refreshOf(answer: Answer): unknown {
  return 'view' in answer ? answer.refresh : undefined;
}
