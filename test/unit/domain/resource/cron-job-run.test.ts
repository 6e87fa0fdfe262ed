import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { manualJobName, nextRunAt, runRequestOf } from '../../../../src/domain/resource/cron-job-run.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const requestOf = (runAt: string | undefined, handledAt?: string): string => {
  const annotations = {
    ...(runAt === undefined ? {} : { 'chandlery.dev/run-at': runAt }),
    ...(handledAt === undefined ? {} : { 'chandlery.dev/run-handled-at': handledAt }),
  };
  const request = runRequestOf({ annotations }, NOW);
  return request.kind === 'Rejected' ? request.reason : request.kind;
};

describe('the request to run a CronJob', () => {
  const cases: readonly (readonly [why: string, runAt: string | undefined, handledAt: string | undefined, expected: string])[] = [
    ['nobody has requested a run', undefined, '2026-11-20T12:00:00Z', 'None'],
    ['its run was handled', '2026-11-21T11:00:00Z', '2026-11-21T11:00:00Z', 'None'],
    ['its time has come', '2026-11-21T12:00:00Z', undefined, 'Due'],
    ['Chandlery was down for months', '2026-01-01T00:00:00Z', undefined, 'Due'],
    ['a time zone makes it earlier than it looks', '2026-11-21T13:30:00.5+02:00', '2026-11-21T11:30:00Z', 'Due'],
    ['its time has not come', '2026-11-21T12:00:01Z', undefined, 'Scheduled'],
    ['an earlier manifest was applied again', '2026-11-21T10:00:00Z', '2026-11-21T11:00:00Z', 'StaleRunAt'],
    ['it is the handled time, written otherwise', '2026-11-21T12:00:00+01:00', '2026-11-21T11:00:00Z', 'StaleRunAt'],
    ['it is no time', 'now', undefined, 'InvalidRunAt'],
    ['it is a time without a zone', '2026-11-21T12:00:00', undefined, 'InvalidRunAt'],
    ['there is no such day', '2026-13-41T12:00:00Z', undefined, 'InvalidRunAt'],
    ['the mark is no time', '2026-11-21T11:00:00Z', 'yesterday', 'Due'],
  ];
  for (const [why, runAt, handledAt, expected] of cases) {
    it(`is ${expected} where ${why}`, () => assert.equal(requestOf(runAt, handledAt), expected));
  }

  it('is later than the last handled one, whatever the clocks say', () => {
    const annotations = { 'chandlery.dev/run-handled-at': '2026-11-21T12:00:05Z' };
    assert.equal(nextRunAt({ annotations }, NOW), '2026-11-21T12:00:05.001Z');
    assert.equal(nextRunAt({}, NOW), '2026-11-21T12:00:00.000Z');
  });

  it('names its Job by the CronJob and the time, within what the pods of a Job can be named after', () => {
    const one = { name: 'a'.repeat(52), uid: '1' };
    const names = [manualJobName(one, NOW), manualJobName(one, NOW + 1), manualJobName({ ...one, uid: '2' }, NOW)];
    assert.equal(new Set(names).size, 3);
    assert.ok(
      names.every((name) => /^a+-manual-[0-9a-f]{10}$/.test(name) && name.length <= 63),
      names.join(),
    );
  });
});
