import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type LeaderOptions, runAsLeader, type SeenLease } from '../../../src/controller/leader.ts';
import { AppError } from '../../../src/domain/core/errors.ts';
import { flushPromises } from '../../support/fake-clock.ts';
import { holders } from './lease-server.ts';

const SECOND = 1_000;

/** Processes that want to lead; `led` has who began to, and who stopped, in order; `seen` what each was told. */
function candidates() {
  const { server, clock, options } = holders();
  const led: string[] = [];
  const seen: string[] = [];
  const start = (holder: string, change: Partial<LeaderOptions> = {}) => {
    const stop = new AbortController();
    const away = { isAway: false };
    const guarded = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
      return async (...args: A): Promise<R> => {
        if (away.isAway) throw new AppError('ClusterUnavailable', 'away');
        return await call(...args);
      };
    };
    const { get, create, replace, delete: remove } = server.cluster;
    const cluster = { get: guarded(get), create: guarded(create), replace: guarded(replace), delete: guarded(remove) };
    const onChange: LeaderOptions['onChange'] = (leads, { holder: other, annotations }) => {
      seen.push(leads === 'leads' ? `${holder} leads` : `${holder} waits for ${other}: ${Object.values(annotations).join()}`);
    };
    const own = { ...options(holder), cluster, seconds: 12, retrySeconds: 2, onChange, ...change };
    const run = async (until: AbortSignal): Promise<void> => {
      led.push(`${holder} leads`);
      await new Promise<void>((resolve) => until.addEventListener('abort', () => resolve()));
      led.push(`${holder} stops`);
    };
    const ended = runAsLeader(own, run, stop.signal);
    return { stop: () => stop.abort(), away, ended };
  };
  return { clock, led, seen, start, lease: server.stored };
}

describe('the leader', () => {
  test('is one of all, and another one within the time of a look when it stops', async () => {
    const { clock, led, start } = candidates();
    const one = start('one');
    await flushPromises();
    const two = start('two');
    await clock.advance(60 * SECOND);
    assert.deepEqual(led, ['one leads']);
    one.stop();
    await one.ended;
    await clock.advance(2 * SECOND);
    assert.deepEqual(led, ['one leads', 'one stops', 'two leads']);
    two.stop();
    await two.ended;
  });

  test('that reaches the cluster no more stops before another one begins, and waits for its turn', async () => {
    const { clock, led, start } = candidates();
    const one = start('one');
    await flushPromises();
    const two = start('two');
    await clock.advance(20 * SECOND);
    one.away.isAway = true;
    await clock.advance(9 * SECOND);
    assert.deepEqual(led, ['one leads', 'one stops']);
    await clock.advance(9 * SECOND);
    assert.deepEqual(led, ['one leads', 'one stops', 'two leads']);
    one.away.isAway = false;
    await clock.advance(60 * SECOND);
    assert.equal(led.length, 3);
    two.stop();
    await clock.advance(2 * SECOND);
    assert.deepEqual(led.slice(3), ['two stops', 'one leads']);
    one.stop();
    await Promise.all([one.ended, two.ended]);
  });

  test('is no other one because a clock is an hour ahead', async () => {
    const { clock, led, start } = candidates();
    const one = start('one');
    await flushPromises();
    const two = start('two', { now: () => new Date(Date.UTC(2026, 0, 1, 1)) } as Partial<LeaderOptions>);
    await clock.advance(60 * SECOND);
    assert.deepEqual(led, ['one leads']);
    for (const each of [one, two]) each.stop();
    await Promise.all([one.ended, two.ended]);
  });

  test('takes the lease of a dead predecessor at once where it is told so, and leaves that of others alone', async () => {
    const { clock, led, start } = candidates();
    const decide = ({ holder }: SeenLease): 'Take' | 'Wait' => (holder === 'one' ? 'Take' : 'Wait');
    const one = start('one');
    await flushPromises();
    one.away.isAway = true;
    const two = start('two', { decide });
    await flushPromises();
    assert.deepEqual(led, ['one leads', 'two leads']);
    const three = start('three', { decide });
    await clock.advance(60 * SECOND);
    assert.deepEqual(led, ['one leads', 'two leads', 'one stops']);
    for (const each of [one, two, three]) each.stop();
    await Promise.all([one.ended, two.ended, three.ended]);
  });

  test('that replaces a living holder begins when that one has stopped', async () => {
    const { clock, led, start } = candidates();
    const one = start('one');
    await flushPromises();
    const two = start('two', { decide: ({ holder }) => (holder === 'one' ? 'TakeFromHolder' : 'Take') });
    await clock.advance(11 * SECOND);
    assert.deepEqual(led, ['one leads', 'one stops']);
    await clock.advance(SECOND);
    assert.deepEqual(led.slice(2), ['two leads']);
    for (const each of [one, two]) each.stop();
    await Promise.all([one.ended, two.ended]);
  });

  test('says so again when it leads again after a loss, and writes its annotations with each renewal', async () => {
    const { clock, seen, start, lease } = candidates();
    const annotations = { 'example.com/name': 'first' };
    const one = start('one', { annotations });
    await flushPromises();
    one.away.isAway = true;
    await clock.advance(10 * SECOND);
    one.away.isAway = false;
    await clock.advance(10 * SECOND);
    assert.deepEqual(seen, ['one leads', 'one leads']);
    assert.deepEqual(lease()?.metadata.annotations, annotations);
    const two = start('two');
    await flushPromises();
    assert.deepEqual(seen.slice(2), ['two waits for one: first']);
    for (const each of [one, two]) each.stop();
    await Promise.all([one.ended, two.ended]);
  });

  test('passes on what it did not expect', async () => {
    const { options } = holders();
    const own = { ...options('one'), seconds: 12, retrySeconds: 2, onChange: () => undefined };
    await assert.rejects(
      runAsLeader(own, () => Promise.reject(new Error('broken')), new AbortController().signal),
      /broken/,
    );
  });
});
