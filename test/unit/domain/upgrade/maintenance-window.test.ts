import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  isOpen,
  nextOpening,
  parseMaintenanceWindow,
  windowSentence,
  type MaintenanceWindow,
} from '../../../../src/domain/upgrade/maintenance-window.ts';

const HOUR = 3_600_000;
const EVERY_DAY = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

function window(text: string, days: MaintenanceWindow['days'] = EVERY_DAY): MaintenanceWindow {
  const [start = '', hours = '', timeZone = 'UTC'] = text.split(' ');
  const [hour = 0, minute = 0] = start.split(':').map(Number);
  return { days, start: hour * 60 + minute, duration: Number(hours) * HOUR, timeZone };
}

describe('a maintenance window', () => {
  // 2026-11-21 is a Saturday. Berlin goes from UTC+1 to UTC+2 on 2026-03-29 at 02:00, and back on 2026-10-25 at 03:00.
  const cases: readonly [string, MaintenanceWindow, string, 'open' | 'closed', string][] = [
    ['is closed before it opens', window('22:00 4'), '2026-11-21T21:59:59Z', 'closed', '2026-11-21T22:00:00Z'],
    ['is open from its very start', window('22:00 4'), '2026-11-21T22:00:00Z', 'open', '2026-11-22T22:00:00Z'],
    ['stays open over midnight', window('22:00 4'), '2026-11-22T01:59:59Z', 'open', '2026-11-22T22:00:00Z'],
    ['is closed at its very end', window('22:00 4'), '2026-11-22T02:00:00Z', 'closed', '2026-11-22T22:00:00Z'],
    ['belongs to the day on which it opens', window('22:00 4', ['Fri']), '2026-11-21T01:00:00Z', 'open', '2026-11-27T22:00:00Z'],
    ['does not open on other days', window('22:00 4', ['Fri']), '2026-11-21T23:00:00Z', 'closed', '2026-11-27T22:00:00Z'],
    ['opens a week later at the latest', window('22:00 1', ['Sat']), '2026-11-21T23:30:00Z', 'closed', '2026-11-28T22:00:00Z'],
    ['may last for days', window('00:00 48', ['Sat']), '2026-11-22T23:00:00Z', 'open', '2026-11-28T00:00:00Z'],
    ['of a whole day never closes', window('06:00 24'), '2026-11-21T05:59:00Z', 'open', '2026-11-21T06:00:00Z'],
    ['goes by the clock of its zone', window('22:00 4 Europe/Berlin'), '2026-11-21T21:30:00Z', 'open', '2026-11-22T21:00:00Z'],
    ['is open by that clock alone', window('22:00 1 Europe/Berlin'), '2026-11-21T22:30:00Z', 'closed', '2026-11-22T21:00:00Z'],
    ['has the day of its zone', window('01:00 2 Asia/Tokyo', ['Sun']), '2026-11-21T16:30:00Z', 'open', '2026-11-28T16:00:00Z'],
    ['opens an hour earlier in summer', window('22:00 4 Europe/Berlin'), '2026-07-01T19:00:00Z', 'closed', '2026-07-01T20:00:00Z'],
    [
      'opens later where the clock skips its start',
      window('02:30 1 Europe/Berlin'),
      '2026-03-29T01:15:00Z',
      'closed',
      '2026-03-29T01:30:00Z',
    ],
    ['is open then, at 03:30', window('02:30 1 Europe/Berlin'), '2026-03-29T01:45:00Z', 'open', '2026-03-30T00:30:00Z'],
    [
      'lasts as long as ever while the clock skips',
      window('01:00 4 Europe/Berlin'),
      '2026-03-29T03:59:00Z',
      'open',
      '2026-03-29T23:00:00Z',
    ],
    ['has ended after that', window('01:00 4 Europe/Berlin'), '2026-03-29T04:00:00Z', 'closed', '2026-03-29T23:00:00Z'],
    ['opens at the first of two starts', window('02:30 1 Europe/Berlin'), '2026-10-25T00:30:00Z', 'open', '2026-10-26T01:30:00Z'],
    ['does not open at the second', window('02:30 1 Europe/Berlin'), '2026-10-25T01:45:00Z', 'closed', '2026-10-26T01:30:00Z'],
    [
      'lasts as long as ever while the clock repeats',
      window('01:00 4 Europe/Berlin'),
      '2026-10-25T02:59:00Z',
      'open',
      '2026-10-26T00:00:00Z',
    ],
    ['knows zones of half an hour', window('00:00 1 Asia/Kolkata'), '2026-11-20T18:45:00Z', 'open', '2026-11-21T18:30:00Z'],
    ['knows where a day was left out', window('12:00 1 Pacific/Apia'), '2011-12-29T23:00:00Z', 'closed', '2011-12-30T22:00:00Z'],
  ];
  for (const [title, given, now, state, opening] of cases) {
    it(title, () => {
      assert.equal(isOpen(given, new Date(now)) ? 'open' : 'closed', state);
      assert.equal(nextOpening(given, new Date(now)).toISOString().replace('.000', ''), opening);
    });
  }

  it('opens every day where no days are named', () => {
    const read = parseMaintenanceWindow({ days: [], start: '22:30', duration: 1.5 * HOUR, timeZone: 'UTC' });
    assert.deepEqual(read, { days: EVERY_DAY, start: 1350, duration: 1.5 * HOUR, timeZone: 'UTC' });
  });

  it('is described in a sentence', () => {
    assert.equal(windowSentence(window('22:00 4 Europe/Berlin', ['Sat', 'Sun'])), 'Sat, Sun at 22:00 for 4 h (Europe/Berlin)');
    assert.equal(windowSentence({ ...window('06:05 0'), duration: 45 * 60_000 }), 'every day at 06:05 for 45 min (UTC)');
  });

  it('in a zone that nobody knows is rejected with a sentence', () => {
    assert.throws(() => isOpen(window('22:00 4 Europe/Atlantis'), new Date()), {
      code: 'InvalidInput',
      message: 'spec.upgrade.window.timeZone: "Europe/Atlantis" is no time zone; write one such as Europe/Berlin or UTC',
    });
  });
});
