import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseActor } from '../../../../src/domain/kubernetes/actor.ts';
import type { UpgradePreview } from '../../../../src/domain/upgrade/preview/upgrade-preview.ts';
import { summaryOf } from '../../../../src/web/upgrade/upgrade-summary.ts';
import { SAMPLE_UPGRADES } from '../../../support/sample-upgrade.ts';

test('the summary of a safe preview says whether it is an upgrade, the first installation, or the version that is there', async () => {
  const preview = await SAMPLE_UPGRADES.previewUpgrade(parseActor('oidc:admin', ['oidc:platform']), {
    name: 'postgres-operator',
    version: '1.5.0',
  });
  const { from: _from, ...first } = preview;
  const cases: readonly (readonly [UpgradePreview, title: string, text: RegExp])[] = [
    [preview, 'Safe to upgrade', /^From 1\.4\.0 to 1\.5\.0\. /],
    [first, 'Safe to upgrade', /^1\.5\.0 would be the first installation\.$/],
    [{ ...preview, from: preview.to }, 'Already installed', /^1\.5\.0 is already installed\. /],
    [{ ...preview, from: preview.to, proposedValues: { replicas: 3 } }, 'Safe to apply', /^1\.5\.0 is already installed\. /],
  ];
  for (const [given, title, text] of cases) {
    const summary = summaryOf({ ...given, verdict: { kind: 'Safe', blockers: [], unchecked: [] } });
    assert.equal(summary.title, title);
    assert.match(summary.text, text);
  }
});
