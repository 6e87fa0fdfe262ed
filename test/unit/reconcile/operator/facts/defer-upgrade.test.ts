import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseOperatorSpec } from '../../../../../src/domain/operator/operator-spec.ts';
import { parseOperatorStatus } from '../../../../../src/domain/operator/operator-status.ts';
import { deferUpgrade } from '../../../../../src/reconcile/operator/facts/defer-upgrade.ts';
import type { OwnRelease } from '../../../../../src/reconcile/helm-release/observe-release.ts';
import type { Work } from '../../../../../src/reconcile/operator/work.ts';
import { CHART, FETCHED, own, ROLLBACK } from '../../../../support/operator-facts.ts';

const WINDOW = { start: '22:00', duration: '4h' };
const NEXT = {
  ...FETCHED,
  configDigest: 'tomorrow',
  chart: { ...CHART, digest: 'sha256:2', contents: { metadata: { name: 'c', version: '2.0.0' }, crds: [] } },
};
const RAN = { revision: 1, status: 'superseded', configDigest: 'today', time: '' } as const;

function work(now: string, upgrade: object = { window: WINDOW }): Work {
  const chart = { name: 'c', version: '1.0.0', digest: 'sha256:1' };
  const status = { chart, release: { name: 'a', namespace: 'a', revision: 1, status: 'deployed' } };
  const spec = { chartURL: 'https://example.com/c.tgz', upgrade };
  const operator = { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', metadata: { name: 'a' }, spec, status };
  const ports = { now: () => new Date(now) } as Work['ports'];
  return { ports, operator, spec: parseOperatorSpec(operator), status: parseOperatorStatus(operator) } as Work;
}

const NOON = '2026-11-21T12:00:00Z';

describe('an upgrade', () => {
  const cases: readonly [string, Work, OwnRelease, Partial<Parameters<typeof deferUpgrade>[1]>, 'held' | 'free'][] = [
    ['is held while the window is closed', work(NOON), own(), {}, 'held'],
    ['goes on while it is open', work('2026-11-21T23:00:00Z'), own(), {}, 'free'],
    ['goes on without a window', work(NOON, {}), own(), {}, 'free'],
    ['goes on when somebody forces it', work(NOON), own(), { forced: true }, 'free'],
    ['that was rolled back is not waited for', work(NOON), own(), { rollback: { ...ROLLBACK, digest: 'tomorrow' } }, 'free'],
    ['that has been made is not waited for', work(NOON), own({ configDigest: 'tomorrow' }), {}, 'free'],
    ['that failed is held, too', work(NOON), own({ status: 'failed', configDigest: 'tomorrow', records: [RAN] }), {}, 'held'],
    ['is not what a first installation that failed is', work(NOON), own({ status: 'failed', records: [] }), {}, 'free'],
  ];
  for (const [title, given, release, facts, expected] of cases) {
    it(title, async () => {
      const hold = await deferUpgrade(given, { forced: false, ...facts }, { release, target: NEXT });
      assert.equal(hold === undefined ? 'free' : 'held', expected);
    });
  }

  it('that is held leaves what runs as the target, and says what comes when', async () => {
    const hold = await deferUpgrade(work(NOON), { forced: false }, { release: own(), target: NEXT });
    assert.deepEqual(hold?.held, { version: '2.0.0', chartDigest: 'sha256:2', reason: 'OutsideWindow', opensAt: '2026-11-21T22:00:00Z' });
    assert.equal(hold?.chart.configDigest, 'today');
    assert.equal(hold?.chart.chart.digest, 'sha256:1');
    assert.equal(hold?.chart.chart.availableVersion, '2.0.0');
  });
});
