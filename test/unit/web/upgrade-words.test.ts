import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseActor } from '../../../src/domain/kubernetes/actor.ts';
import type { UpgradePlan } from '../../../src/domain/upgrade/preview/plan.ts';
import { summaryOf } from '../../../src/web/upgrade/upgrade-summary.ts';
import { SAMPLE_UPGRADES } from '../../support/sample-upgrade.ts';

test('the summary of a safe plan says whether it is an upgrade, the first installation, or the version that is there', async () => {
  const plan = await SAMPLE_UPGRADES.planOperatorUpgrade(parseActor('oidc:admin', ['oidc:platform']), {
    name: 'postgres-operator',
    version: '1.5.0',
  });
  const { from: _from, ...first } = plan;
  const cases: readonly (readonly [UpgradePlan, title: string, text: RegExp])[] = [
    [plan, 'Safe to upgrade', /^From 1\.4\.0 to 1\.5\.0\. /],
    [first, 'Safe to upgrade', /^1\.5\.0 would be the first installation\.$/],
    [{ ...plan, from: plan.to }, 'It has this version', /^1\.5\.0 is installed, and stays\. /],
    [{ ...plan, from: plan.to, tried: { replicas: 3 } }, 'Safe to apply', /^1\.5\.0 is installed, and stays\. /],
  ];
  for (const [given, title, text] of cases) {
    const summary = summaryOf({ ...given, verdict: { word: 'Safe', stops: [], unchecked: [] } });
    assert.equal(summary.title, title);
    assert.match(summary.text, text);
  }
});
