import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { eventView, newestFirst } from '../../../src/operation/instance/list-events.ts';

const event = (reason: string, time: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: reason },
  involvedObject: { uid: 'u1' },
  reason,
  ...time,
});

test('the newest event comes first, also when only some are timed to the microsecond', () => {
  const events = [
    event('Created', { lastTimestamp: '2026-01-01T10:00:00Z' }),
    event('Scheduled', { eventTime: '2026-01-01T10:00:00.900000Z' }),
    event('Ready', { lastTimestamp: '2026-01-01T10:00:01Z' }),
  ];
  assert.deepEqual(
    events
      .map(eventView)
      .toSorted(newestFirst)
      .map(({ reason }) => reason),
    ['Ready', 'Scheduled', 'Created'],
  );
});
