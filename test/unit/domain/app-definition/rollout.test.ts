import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rolloutCondition, rolloutOf } from '../../../../src/domain/app-definition/rollout.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';

const TIERS: Readonly<Record<string, string>> = { dev: 'development', stage: 'staging', prod: 'production', lab: 'lab' };

interface State {
  readonly spec?: object;
  /** The version that it has: `old` or `new`. */
  readonly own?: string;
  readonly ready?: boolean;
  readonly stalled?: boolean;
  readonly expired?: boolean;
  readonly failures?: number;
  readonly attempted?: string;
  /** Newest first: the chart, and whether it was healthy. */
  readonly history?: readonly (readonly [chart: string, healthy?: boolean])[];
}

function instance(
  key: string,
  { spec = {}, own, ready = false, stalled = false, expired = false, failures = 0, attempted, history = [] }: State,
): KubeObject {
  const [namespace = '', name = ''] = key.split('/');
  const condition = (type: string, status: string) => ({
    type,
    status,
    reason: 'R',
    message: `${type} of ${name}`,
    lastTransitionTime: '',
  });
  const revisions = history.map(([chartDigest, healthy], index) => ({
    revision: history.length - index,
    chart: 'web',
    version: chartDigest,
    digest: `config-${index}`,
    chartDigest,
    time: '2026-01-01T00:00:00Z',
    status: 'deployed',
    ...(healthy === undefined ? {} : { healthy }),
  }));
  const status = {
    ...(own === undefined ? {} : { revision: `web-${own}`, version: own }),
    ...(attempted === undefined
      ? {}
      : { lastAttempted: { digest: 'd', chartDigest: attempted, generation: 1, requestedAt: '', time: '2026-01-01T00:00:00Z' } }),
    history: revisions,
    failures,
    conditions: [
      condition('Ready', ready ? 'True' : 'False'),
      ...(stalled ? [condition('Stalled', 'True')] : []),
      ...(expired ? [condition('Expired', 'True')] : []),
    ],
  };
  return { apiVersion: 'apps.chandlery.dev/v1alpha1', kind: 'Web', metadata: { namespace, name }, spec, status };
}

const OLD: State = { own: 'old', ready: true, history: [['old', true]] };
const NEW: State = {
  own: 'new',
  ready: true,
  history: [
    ['new', true],
    ['old', true],
  ],
};
const UPGRADING: State = { own: 'new', history: [['old', true]] };
const ROLLED_BACK: State = { own: 'new', stalled: true, history: [['old', true], ['new'], ['old', true]] };

function rollout(instances: Readonly<Record<string, State>>, maxConcurrent = 2) {
  return rolloutOf({
    revision: 'web-new',
    digest: 'new',
    instances: Object.entries(instances).map(([key, state]) => instance(key, state)),
    followed: (channel) => (channel === 'none' ? undefined : { revision: `web-${channel}`, digest: channel }),
    tierOf: (namespace) => TIERS[namespace],
    maxConcurrent,
  });
}

describe('what a roll-out makes of an instance', () => {
  const cases: readonly (readonly [string, State, string])[] = [
    ['it runs the version before', OLD, 'Pending'],
    ['it runs the version', NEW, 'Updated'],
    [
      'people broke it after it had been healthy at the version',
      { own: 'new', stalled: true, failures: 2, history: [['new'], ['new', true], ['old', true]] },
      'Updated',
    ],
    ['helm is at work, or its pods start', UPGRADING, 'Upgrading'],
    ['it was rolled back', ROLLED_BACK, 'Failed'],
    [
      'the chart does not render with its values, so nothing was changed',
      { own: 'old', stalled: true, failures: 1, attempted: 'new', history: [['old', true]] },
      'Failed',
    ],
    ['it did not become healthy, and was not before', { own: 'new', stalled: true, history: [['new'], ['old', false]] }, 'Skipped'],
    ['it is unhealthy, and the version may repair it', { own: 'old', failures: 3, attempted: 'old', history: [['old']] }, 'Pending'],
    [
      'it comes back to a version that it has had',
      {
        own: 'other',
        ready: true,
        history: [
          ['other', true],
          ['new', true],
        ],
      },
      'Pending',
    ],
    ['it has a version of its own', { ...OLD, spec: { version: '1.0.0' } }, 'Pinned'],
    ['it is suspended', { ...OLD, spec: { suspend: true } }, 'Skipped'],
    ['it is being created', {}, 'Skipped'],
    ['it has expired', { ...OLD, expired: true }, 'Skipped'],
    ['its channel goes to the version', { ...OLD, spec: { channel: 'new' } }, 'Pending'],
    ['its channel ends before the version', { ...OLD, spec: { channel: 'old' } }, 'Pinned'],
    ['it is upgraded within its channel', { ...UPGRADING, own: 'old', history: [['older', true]], spec: { channel: 'old' } }, 'Upgrading'],
    ['no version is within its channel', { ...OLD, spec: { channel: 'none' } }, 'Skipped'],
  ];
  for (const [title, state, expected] of cases) {
    it(`${expected}: ${title}`, () => assert.equal(rollout({ 'dev/a': state }).instances[0]?.result, expected));
  }

  it('Skipped: no Environment has its namespace', () => assert.equal(rollout({ 'other/a': OLD }).instances[0]?.result, 'Skipped'));
});

describe('whose turn it is in a roll-out', () => {
  const all = { 'prod/a': OLD, 'stage/a': OLD, 'dev/a': OLD, 'dev/b': OLD, 'dev/c': OLD, 'lab/a': NEW };

  it('tier after tier, so many at a time', () => {
    assert.deepEqual([rollout(all).wave, rollout(all).admitted], ['development', ['dev/a', 'dev/b']]);
    const later = { ...all, 'dev/a': NEW, 'dev/b': UPGRADING };
    assert.deepEqual(rollout(later).admitted, ['dev/b', 'dev/c']);
    assert.deepEqual(rollout({ ...later, 'dev/c': NEW }).admitted, ['dev/b'], 'staging waits for the last of development');
    assert.deepEqual(rollout({ ...later, 'dev/b': NEW, 'dev/c': NEW }).admitted, ['stage/a']);
  });

  it('after a failure nobody, and those under way end', () => {
    const failed = rollout({ ...all, 'dev/a': ROLLED_BACK, 'dev/b': UPGRADING });
    assert.deepEqual(failed.admitted, ['dev/a', 'dev/b']);
    const { status, reason, message } = rolloutCondition(failed, '2.0.0');
    assert.deepEqual([status, reason], ['False', 'InstanceFailed']);
    assert.match(
      message,
      /^Stopped in tier development: instance dev\/a failed: Ready of a\. 1 of 6 instances run version 2\.0\.0\. Correct/,
    );
  });

  it('at the end nobody, and those left alone are counted', () => {
    const done = rollout({ 'dev/a': NEW, 'prod/a': { ...OLD, spec: { version: 'old' } } });
    assert.deepEqual([done.admitted, done.wave], [[], undefined]);
    assert.equal(
      rolloutCondition(done, '2.0.0').message,
      '1 of 1 instance runs version 2.0.0; left alone: 1 with a version or channel of their own',
    );
  });
});
