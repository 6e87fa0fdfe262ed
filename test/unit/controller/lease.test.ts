import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { leaseState, withLease, type LeaseOptions } from '../../../src/controller/lease.ts';
import { AppError } from '../../../src/domain/core/errors.ts';
import { createFakeClock, flushPromises } from '../../support/fake-clock.ts';
import { holders } from './lease-server.ts';

const NOBODY = new AbortController().signal;

describe('a lease', () => {
  test('is held while the work runs, and given back after it', async () => {
    const { server, options } = holders();
    const result = await withLease(options('one'), async () => leaseState(options('two')), NOBODY);
    assert.equal(result, 'Held');
    assert.equal(server.stored(), undefined);
    assert.equal(await leaseState(options('two')), 'Free');
  });

  test('is given back when the work fails', async () => {
    const { server, options } = holders();
    await assert.rejects(
      withLease(options('one'), () => Promise.reject(new Error('broken')), NOBODY),
      /broken/,
    );
    assert.equal(server.stored(), undefined);
  });

  test('cannot be had by two', async () => {
    const { options } = holders();
    const second = withLease(options('one'), () => withLease(options('two'), async () => 'both', NOBODY), NOBODY);
    await assert.rejects(second, { code: 'Conflict', message: 'lease "release": one holds it' });
  });

  test('is renewed for as long as the work runs', async () => {
    const { clock, options } = holders();
    const work = Promise.withResolvers<void>();
    const running = withLease(options('one'), () => work.promise, NOBODY);
    await clock.advance(120_000);
    assert.equal(await leaseState(options('two')), 'Held');
    work.resolve();
    await running;
  });

  test('is renewed no more when the work ends in the middle of a renewal', async () => {
    const { server, clock, options } = holders();
    const work = Promise.withResolvers<void>();
    const renewals: number[] = [];
    const replace: LeaseOptions['cluster']['replace'] = async (...call) => {
      renewals.push(clock.now());
      work.resolve();
      await flushPromises();
      return server.cluster.replace(...call);
    };
    const running = withLease({ ...options('one'), cluster: { ...server.cluster, replace } }, () => work.promise, NOBODY);
    await clock.advance(5_000);
    await running;
    await clock.advance(60_000);
    assert.deepEqual([renewals, server.stored()], [[5_000], undefined]);
  });

  test('of a worker that died expires, and another takes it over', async () => {
    const { server, clock, options } = holders();
    const died = { ...options('one'), clock: createFakeClock() };
    void withLease(died, () => new Promise(() => undefined), NOBODY);
    await flushPromises();
    await clock.advance(14_000);
    assert.equal(await leaseState(options('two')), 'Held');
    await clock.advance(1_000);
    assert.equal(await leaseState(options('two')), 'Expired');
    const seen = await withLease(options('two'), async () => server.stored()?.spec, NOBODY);
    assert.deepEqual(seen, {
      holderIdentity: 'two',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:15.000000Z',
      renewTime: '2026-01-01T00:00:15.000000Z',
      leaseTransitions: 1,
    });
  });

  test('outlives a cluster that is away for a moment, but not for longer than it stands', async () => {
    const { server, clock, options } = holders();
    let away = false;
    const replace: LeaseOptions['cluster']['replace'] = async (...call) => {
      if (away) throw new AppError('ClusterUnavailable', 'the cluster does not answer');
      return server.cluster.replace(...call);
    };
    const cluster = { ...server.cluster, replace };
    const running = withLease(
      { ...options('one'), cluster },
      (signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      NOBODY,
    );
    const ended = assert.rejects(running, { code: 'ClusterUnavailable' });
    away = true;
    await clock.advance(8_000);
    away = false;
    await clock.advance(20_000);
    assert.equal(await leaseState(options('two')), 'Held');
    away = true;
    await clock.advance(15_000);
    await ended;
  });

  test('that was lost ends the work, and is left to its new holder', async () => {
    const { server, clock, options } = holders();
    let reported = 0;
    const running = withLease(
      { ...options('one'), onLost: () => void (reported += 1) },
      (signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      NOBODY,
    );
    const lost = assert.rejects(running, { code: 'Conflict' });
    await flushPromises();
    const taken = server.stored();
    assert.ok(taken);
    await server.cluster.replace({ group: '', version: '', resource: '' }, { ...taken, spec: { holderIdentity: 'two' } });
    await clock.advance(5_000);
    await lost;
    assert.equal(reported, 1);
    assert.deepEqual(server.stored()?.spec, { holderIdentity: 'two' });
  });
});
