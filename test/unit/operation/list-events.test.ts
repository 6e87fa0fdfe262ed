import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cluster } from '../../../src/domain/cluster.ts';
import type { ResourceTree } from '../../../src/domain/tree.ts';
import { listEvents } from '../../../src/operation/list-events.ts';
import type { Ports } from '../../../src/operation/ports.ts';

const ACTOR = { user: 'oidc:a', groups: ['oidc:team-a'] };
const event = (reason: string, time: object): object => ({ metadata: { name: reason }, involvedObject: { uid: 'u1' }, reason, ...time });

test('the newest event comes first, also when only some are timed to the microsecond', async () => {
  const items = [
    event('Created', { lastTimestamp: '2026-01-01T10:00:00Z' }),
    event('Scheduled', { eventTime: '2026-01-01T10:00:00.900000Z' }),
    event('Ready', { lastTimestamp: '2026-01-01T10:00:01Z' }),
  ];
  const cluster = {
    get: () => Promise.resolve({ metadata: { name: 'team-a' }, spec: { namespace: 'team-a' } }),
    list: () => Promise.resolve({ items }),
  } as unknown as Cluster;
  const ports = { clusters: { asActor: () => cluster } } as unknown as Ports;
  const tree = { root: { uid: 'u1', children: [] } } as unknown as ResourceTree;
  const events = await listEvents(ports, ACTOR, { environment: 'team-a', app: 'caches.example', name: 'x', tree });
  assert.deepEqual(
    events.map(({ reason }) => reason),
    ['Ready', 'Scheduled', 'Created'],
  );
});
