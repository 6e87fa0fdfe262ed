import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PreviewedChart } from '../../../../../src/domain/upgrade/preview/upgrade-preview.ts';
import { upgradeWarnings, type WarningsInput } from '../../../../../src/domain/upgrade/preview/check-preview.ts';

const RELEASE = { name: 'a', namespace: 'a', revision: 1, status: 'deployed' };
const chart = (version: string): PreviewedChart => ({ name: 'a', version, digest: `sha256:${version}` });

function input(more: Partial<WarningsInput>): WarningsInput {
  return { status: { release: RELEASE }, from: chart('1.4.0'), to: chart('1.5.0'), before: 'Rendered', unread: 0, ...more };
}

describe('a preview', () => {
  const held = { version: '1.4.0', reason: 'OutsideWindow' } as const;
  const cases: readonly [string, WarningsInput, readonly RegExp[]][] = [
    ['of a small step says nothing', input({}), []],
    ['of a large step says so', input({ to: chart('2.0.0') }), [/another major version/]],
    ['of a step back says so', input({ to: chart('1.3.0') }), [/1\.3\.0 is older than 1\.4\.0/]],
    ['of a first installation says so', input({ status: {}, from: undefined }), [/Nothing is installed yet/]],
    ['without the installed chart says so', input({ from: undefined }), [/can no longer be fetched/]],
    ['with a chart that is broken says so', input({ before: 'Broken' }), [/no longer renders/]],
    [
      'of other values says what it cannot show',
      input({ to: chart('1.4.0'), status: { release: RELEASE, pendingUpgrade: held } }),
      [/wait for the maintenance window/],
    ],
    ['of another chart shows what waits', input({ status: { release: RELEASE, pendingUpgrade: held } }), []],
    ['with values that were not read says so', input({ unread: 1 }), [/the same placeholder on both sides/]],
  ];
  for (const [title, given, expected] of cases) {
    it(title, () => {
      const warnings = upgradeWarnings(given);
      assert.equal(warnings.length, expected.length, warnings.join('\n'));
      expected.forEach((pattern, index) => assert.match(warnings[index] ?? '', pattern));
    });
  }
});
