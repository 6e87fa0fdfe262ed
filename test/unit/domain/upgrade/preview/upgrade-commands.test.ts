import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { UpgradeStep } from '../../../../../src/domain/upgrade/preview/upgrade-preview.ts';
import { upgradeCommands } from '../../../../../src/domain/upgrade/preview/upgrade-commands.ts';

const DECIDED = { patch: { logLevel: null, log: { level: 'debug' } }, decisions: { 'values.logLevel': 'move:values.log.level' } };

describe('the commands of an upgrade', () => {
  it('annotate where no value is decided', () => {
    assert.match(
      commands('AwaitingApproval', undefined),
      /kubectl annotate kop anvil .* chandlery\.dev\/approved-upgrade=2\.0\.0@sha256:ab\n/,
    );
    assert.doesNotMatch(commands('AwaitingApproval', undefined), /decisions/);
  });

  it('change the values by the very patch that approves', () => {
    const text = commands('AwaitingApproval', DECIDED);
    const patch = JSON.parse(/kubectl patch .* --patch '(.*)'/.exec(text)?.[1] ?? '{}') as unknown;
    assert.deepEqual(patch, {
      metadata: { annotations: { 'chandlery.dev/approved-upgrade': '2.0.0@sha256:ab' } },
      spec: { values: { logLevel: null, log: { level: 'debug' } } },
    });
    assert.match(text, /"decisions":\{"values\.logLevel":"move:values\.log\.level"\}/);
  });

  it('change the values alone where nobody has to approve', () => {
    assert.match(commands('Underway', DECIDED), /kubectl patch kop anvil .*'\{"spec":\{"values":\{"logLevel":null/);
    assert.doesNotMatch(commands('Underway', undefined), /kubectl/);
  });

  it('change them with the version that is pinned', () => {
    assert.match(commands('Pinned', DECIDED), /\{"spec":\{"chart":\{"version":"2\.0\.0"\},"values":\{"logLevel":null/);
  });
});

function commands(step: UpgradeStep, decided: typeof DECIDED | undefined): string {
  const to = { name: 'anvil', version: '2.0.0', digest: 'sha256:ab' };
  const timing = { step, policy: 'Manual' } as const;
  return upgradeCommands({ namespace: 'tools', name: 'anvil', to, timing, decided }, 'https://chandlery.example.com')
    .map(({ text }) => text)
    .join('\n');
}
