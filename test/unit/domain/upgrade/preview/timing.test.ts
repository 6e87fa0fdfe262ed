import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseOperatorSpec } from '../../../../../src/domain/operator/operator-spec.ts';
import { type TimingInput, timingOf } from '../../../../../src/domain/upgrade/preview/check-preview.ts';
import type { PreviewedChart } from '../../../../../src/domain/upgrade/preview/upgrade-preview.ts';

const NOW = new Date('2026-11-21T12:00:00Z');

function chart(version: string, digit = version.replaceAll('.', '')): PreviewedChart {
  return { name: 'a', version, digest: `sha256:${digit.slice(0, 1).repeat(64)}` };
}

function input(spec: object, more: Partial<TimingInput> = {}): TimingInput {
  const operator = { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', metadata: { name: 'a' }, spec };
  const rest = { from: chart('1.4.0', '4'), to: chart('1.5.0', '5'), offered: ['1.6.0', '1.5.0'], approved: '', now: NOW };
  return { spec: parseOperatorSpec(operator), ...rest, ...more };
}

const repo = { repoURL: 'https://example.com', name: 'a', version: '1.4.0' };
const CHANNEL = { chart: repo, upgrade: { range: '^1' } };

describe('what an upgrade waits for', () => {
  const cases: readonly [string, TimingInput, string][] = [
    ['an approval in a channel', input(CHANNEL), 'AwaitingApproval'],
    ['nothing once it is approved', input(CHANNEL, { approved: '1.5.0' }), 'Underway'],
    ['nothing once exactly these bytes are', input(CHANNEL, { approved: `1.5.0@${chart('1.5.0', '5').digest}` }), 'Underway'],
    ['an approval when other bytes were', input(CHANNEL, { approved: `1.5.0@${chart('1.5.0', '6').digest}` }), 'AwaitingApproval'],
    ['an approval when another version was', input(CHANNEL, { approved: '1.6.0' }), 'AwaitingApproval'],
    ['nothing when the spec asks for it', input({ chart: { ...repo, version: '1.5.0' } }), 'Underway'],
    ['another spec when one version is pinned', input({ chart: repo }), 'Pinned'],
    ['another range when it is outside', input({ chart: repo, upgrade: { range: '~1.4' } }), 'OutOfRange'],
    [
      'nothing under Automatic when it is the newest',
      input({ chart: repo, upgrade: { range: '^1', policy: 'Automatic' } }, { to: chart('1.6.0', '6') }),
      'Underway',
    ],
    ['a newer one under Automatic otherwise', input({ chart: repo, upgrade: { range: '^1', policy: 'Automatic' } }), 'Superseded'],
    [
      'the newest of a range in the chart',
      input({ chart: { ...repo, version: '^1' }, upgrade: { policy: 'Automatic' } }, { to: chart('1.6.0', '6') }),
      'Underway',
    ],
    ['nothing that is installed', input(CHANNEL, { to: chart('1.4.0', '4') }), 'Installed'],
    ['no older one', input(CHANNEL, { to: chart('1.3.0', '3') }), 'Older'],
    ['the end of a suspension', input({ ...CHANNEL, suspend: true }), 'Suspended'],
    ['nothing where nothing is installed', input(CHANNEL, { from: undefined }), 'Underway'],
    ['nothing at a plain address', input({ chartURL: 'https://example.com/a.tgz' }), 'Underway'],
  ];
  for (const [title, given, expected] of cases) it(title, () => assert.equal(timingOf(given).step, expected));

  it('says when the window opens, and why an approval has no effect', () => {
    const window = { start: '22:00', duration: '4h' };
    const { fault, ...timing } = timingOf(input({ chart: repo, upgrade: { range: '^1', window } }, { approved: '1.3.0' }));
    assert.match(fault ?? '', /1\.3\.0 was approved, and the newer 1\.4\.0 is installed/);
    assert.deepEqual(timing.window, { description: 'every day at 22:00 for 4 h (UTC)', open: false, opensAt: '2026-11-21T22:00:00.000Z' });
  });
});
