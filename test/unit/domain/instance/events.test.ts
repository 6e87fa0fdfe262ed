import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HealthStatus } from '../../../../src/domain/health/health.ts';
import { eventsAbout } from '../../../../src/domain/instance/events.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import type { TreeNode } from '../../../../src/domain/tree/tree.ts';

function event(reason: string, more: object, uid = 'pod'): KubeObject {
  const event: KubeObject & Record<string, unknown> = { apiVersion: 'v1', kind: 'Event', metadata: { name: reason } };
  return Object.assign(event, { involvedObject: { kind: 'Pod', name: uid, uid }, reason }, more);
}

function node(uid: string, status: HealthStatus | undefined, children: readonly TreeNode[] = []): TreeNode {
  const health = status === undefined ? {} : { health: { status, message: '' } };
  return { uid, apiVersion: 'v1', kind: 'Pod', name: uid, info: '', created: '', children, links: [], ...health };
}

const at = (time: string): object => ({ lastTimestamp: `2026-01-01T10:00:${time}Z`, firstTimestamp: `2026-01-01T10:00:${time}Z` });
const warning = { type: 'Warning' };

describe('the events about a resource tree', () => {
  it('begin with the newest, also when only some are timed to the microsecond', () => {
    const events = [event('Created', at('00')), event('Scheduled', { eventTime: '2026-01-01T10:00:00.900000Z' }), event('Ready', at('01'))];
    assert.deepEqual(
      eventsAbout(node('pod', 'Healthy'), events).map(({ reason }) => reason),
      ['Ready', 'Scheduled', 'Created'],
    );
  });

  it('are one row a reason and resource, which counts them and has the newest message', () => {
    const events = [
      event('BackOff', { ...warning, ...at('05'), message: 'newest', count: 3 }),
      event('BackOff', { ...warning, ...at('01'), message: 'oldest', count: 2 }),
      event('BackOff', { ...warning, ...at('02'), message: 'of another pod' }, 'other'),
      event('BackOff', { ...warning, ...at('09') }, 'stranger'),
    ];
    const rows = eventsAbout(node('pod', 'Degraded', [node('other', 'Degraded')]), events);
    assert.deepEqual(
      rows.map(({ name, message, count, firstSeen }) => [name, message, count, firstSeen]),
      [
        ['pod', 'newest', 5, '2026-01-01T10:00:01Z'],
        ['other', 'of another pod', 1, '2026-01-01T10:00:02Z'],
      ],
    );
  });

  it('are resolved when they warned of what is healthy now, or of what reports nothing in a tree that is healthy', () => {
    const resolved = (root: HealthStatus, child: HealthStatus | undefined): readonly boolean[] =>
      eventsAbout(node('root', root, [node('pod', child)]), [
        event('Unhealthy', { ...warning, ...at('01') }),
        event('Started', at('00')),
      ]).map((row) => row.resolved);
    assert.deepEqual(resolved('Degraded', 'Healthy'), [true, false]);
    assert.deepEqual(resolved('Degraded', 'Progressing'), [false, false]);
    assert.deepEqual(resolved('Healthy', undefined), [true, false]);
    assert.deepEqual(resolved('Degraded', undefined), [false, false]);
  });
});
