import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { readCron } from '../../../../src/form/controls/cron.ts';
import { runs } from '../../../support/runs.ts';

const AFTER = new Date('2026-01-31T12:00:00Z');

const read: readonly (readonly [text: string, words: string, next: readonly string[]])[] = [
  ['0 2 * * *', 'At 02:00 every day', ['2026-02-01T02:00:00.000Z', '2026-02-02T02:00:00.000Z']],
  ['30 1 * * 1-5', 'At 01:30, Monday through Friday', ['2026-02-02T01:30:00.000Z', '2026-02-03T01:30:00.000Z']],
  ['0 0 2 * * *', 'At 02:00 every day', ['2026-02-01T02:00:00.000Z', '2026-02-02T02:00:00.000Z']],
  ['15 0 2 * * *', 'At 02:00:15 every day', ['2026-02-01T02:00:15.000Z', '2026-02-02T02:00:15.000Z']],
  ['*/15 * * * *', 'Every 15 minutes', ['2026-01-31T12:15:00.000Z', '2026-01-31T12:30:00.000Z']],
  [
    '*/15 9-17 * * mon-fri',
    'Every 15 minutes, between 09:00 and 17:59, Monday through Friday',
    ['2026-02-02T09:00:00.000Z', '2026-02-02T09:15:00.000Z'],
  ],
  ['* * * * *', 'Every minute', ['2026-01-31T12:01:00.000Z', '2026-01-31T12:02:00.000Z']],
  ['0 * * * *', 'Every hour', ['2026-01-31T13:00:00.000Z', '2026-01-31T14:00:00.000Z']],
  ['5 */6 * * *', 'At 5 minutes past the hour, every 6 hours', ['2026-01-31T12:05:00.000Z', '2026-01-31T18:05:00.000Z']],
  ['5/20 * * * *', 'Every 20 minutes, starting at 5 minutes past the hour', ['2026-01-31T12:05:00.000Z', '2026-01-31T12:25:00.000Z']],
  ['0 6,18 1,15 * *', 'At 06:00 and 18:00, on day 1 and 15 of the month', ['2026-02-01T06:00:00.000Z', '2026-02-01T18:00:00.000Z']],
  [
    '0 0 1 jan,jul *',
    'At 00:00, on day 1 of the month, only in January and July',
    ['2026-07-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ],
  ['0 0 13 * 5', 'At 00:00, on day 13 of the month, and on Friday', ['2026-02-06T00:00:00.000Z', '2026-02-13T00:00:00.000Z']],
  ['0 0 */2 * 1', 'At 00:00, every 2 days in a month, only on Monday', ['2026-02-09T00:00:00.000Z', '2026-02-23T00:00:00.000Z']],
  ['0 0 L * *', 'At 00:00, on the last day of the month', ['2026-02-28T00:00:00.000Z', '2026-03-31T00:00:00.000Z']],
  ['*/10 * * * * *', 'Every 10 seconds', ['2026-01-31T12:00:10.000Z', '2026-01-31T12:00:20.000Z']],
  ['@daily', 'At 00:00 every day', ['2026-02-01T00:00:00.000Z', '2026-02-02T00:00:00.000Z']],
  ['@every 1h30m', 'Every 1h30m, from when it begins', []],
  [
    'CRON_TZ=Europe/Berlin 0 2 * * *',
    'At 02:00 every day, in the time of Europe/Berlin',
    ['2026-02-01T01:00:00.000Z', '2026-02-02T01:00:00.000Z'],
  ],
  ['0 0 29 2 */7', 'At 00:00, on day 29 of the month, every 7 days of the week, only in February', ['2032-02-29T00:00:00.000Z']],
  ['0 ? 1 ? ?', 'Every hour, on day 1 of the month', ['2026-02-01T00:00:00.000Z', '2026-02-01T01:00:00.000Z']],
  ['0 2 * *,* *', 'At 02:00 every day', ['2026-02-01T02:00:00.000Z', '2026-02-02T02:00:00.000Z']],
  ['0 0 31 2 *', 'At 00:00, on day 31 of the month, only in February', []],
];

const faults: readonly (readonly [text: string, says: RegExp])[] = [
  ['every night', /five parts.*there are 2/],
  ['daily', /there is 1/],
  ['60 * * * *', /no schedule: invalid value for minute: 60/],
  ['0 12:30 * * *', /no schedule: a part cannot have a colon/],
  ['@nightly', /@nightly is unknown/],
  ['@every soon', /@every soon is unknown/],
  ['TZ=Mars/Olympus 0 2 * * *', /no time zone Mars\/Olympus/],
  ['0 2 * * * * *', /there are 7/],
  [`0 2 * * ${'1,'.repeat(200)}1`, /not that long/],
];

describe('a schedule', () => {
  for (const [text, words, next] of read) {
    it(`${text} is shown in words and times`, () => {
      const found = readCron(text);
      assert.ok(found.fault === undefined, found.fault);
      assert.equal(found.words, words);
      assert.deepEqual(
        found.next(AFTER, 2).map((time) => time.toISOString()),
        next,
      );
    });
  }

  for (const [text, says] of faults) {
    it(`${text.slice(0, 40)} is none, and why`, () => assert.match(readCron(text).fault ?? '', says));
  }

  it('of any text is read or rejected', () => {
    const part = fc.oneof(
      fc.constantFrom('*', '?', 'L', '*/5', '1-5', '1,2,3', 'mon', '7', '1#2', '15W', '0/0', '*/0', '-1'),
      fc.string({ maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 4, maxLength: 7 }), (parts) => {
        const found = readCron(parts.join(' '));
        if (found.fault === undefined) {
          found.next(AFTER, 3);
          assert.doesNotMatch(found.words, /undefined|error/i, parts.join(' '));
        }
      }),
      { numRuns: runs(400) },
    );
  });
});
