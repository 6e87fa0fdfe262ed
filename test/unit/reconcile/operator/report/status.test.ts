import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '../../../../../src/domain/kubernetes/resource.ts';
import type { RevisionRecord } from '../../../../../src/domain/operator/revision-history.ts';
import type { OperatorPorts } from '../../../../../src/reconcile/operator/ports.ts';
import { readHistory } from '../../../../../src/reconcile/operator/facts/read-history.ts';
import { attemptOf } from '../../../../../src/reconcile/operator/report/report-failure.ts';
import { workOn, type Work } from '../../../../../src/reconcile/operator/work.ts';
import { composeStatus, type Finding } from '../../../../../src/reconcile/operator/report/compose-status.ts';
import { CHART, own } from '../../../../support/operator-facts.ts';

const FORCE = 'chandlery.dev/force-at';
const RECONCILE = 'chandlery.dev/reconcile-at';
const OLD = { name: 'c', version: '0.9.0', digest: 'sha256:0' };

describe('what a person asks for by annotations', () => {
  it('is the text of the annotation', () => assert.equal(work({ annotations: { [RECONCILE]: 'now' } }).requestedAt, 'now'));
  it('is another thing when an upgrade is forced', () => {
    assert.notEqual(work({ annotations: { [RECONCILE]: 'now', [FORCE]: 'x' } }).requestedAt, 'now');
  });
  it('is to be carried out once', () => {
    assert.equal(work({ annotations: { [FORCE]: 'x' } }).forcedAt, 'x');
    assert.equal(work({ annotations: { [FORCE]: 'x' }, status: attempted({ forcedAt: 'x' }) }).forcedAt, '');
    assert.equal(work({ annotations: { [FORCE]: 'y' }, status: attempted({ forcedAt: 'x' }) }).forcedAt, 'y');
    assert.equal(work({}).forcedAt, '');
  });
  it('counts as carried out only when it was', () => {
    const forced = work({ annotations: { [FORCE]: 'y' }, status: attempted({ forcedAt: 'x' }) });
    assert.equal(attemptOf(forced, {}).forcedAt, 'x');
    assert.equal(attemptOf(forced, { forced: 'CarriedOut' }).forcedAt, 'y');
    assert.equal(attemptOf(work({}), { forced: 'CarriedOut' }).forcedAt, undefined);
  });
});

describe('the request that was handled last', () => {
  const handled = (annotation: string, more: Partial<Finding>, spec: object = {}): string | undefined => {
    const asked = work({ annotations: { [RECONCILE]: annotation }, status: { lastHandledReconcileAt: 'before' } });
    return composeStatus({ ...asked, spec: { ...asked.spec, ...spec } }, finding([], more)).lastHandledReconcileAt;
  };
  it('is the annotation once what it asked for has ended', () => assert.equal(handled('now', {}), 'now'));
  it('stays the one before while a release is changed', () => assert.equal(handled('now', { request: 'Underway' }), 'before'));
  it('stays the one before while the Operator is suspended', () => assert.equal(handled('now', {}, { suspend: true }), 'before'));
});

describe('the history in the status of an Operator', () => {
  it('names the chart that is being deployed for the revision of its step', () => {
    const { history } = composeStatus(work({}), finding([record(1, 'today')], { chart: CHART, configDigest: 'today' }));
    assert.deepEqual(
      history.map(({ chart, version, chartDigest }) => ({ chart, version, chartDigest })),
      [{ chart: 'c', version: '1.0.0', chartDigest: 'sha256:1' }],
    );
  });

  it('names the chart of the last attempt for a revision that a dead process has made', () => {
    const status = { chart: OLD, ...attempted({ digest: 'yesterday', chartDigest: OLD.digest }) };
    const { history } = composeStatus(work({ status }), finding([record(1, 'yesterday')], { chart: CHART, configDigest: 'today' }));
    assert.deepEqual(
      history.map(({ version }) => version),
      ['0.9.0'],
    );
  });

  it('does not take the chart of another attempt for it', () => {
    const status = { chart: OLD, ...attempted({ digest: 'yesterday', chartDigest: 'sha256:2' }) };
    assert.deepEqual(composeStatus(work({ status }), finding([record(1, 'yesterday')])).history, []);
  });

  it('names the chart of the revision that came back', () => {
    const history = [{ revision: 1, chart: 'c', version: '0.9.0', digest: 'yesterday', time: 'time 1', status: 'superseded' }];
    const records = [record(1, 'yesterday', 'superseded'), record(2, 'yesterday')];
    const composed = composeStatus(work({ status: { history } }), finding(records, { chart: CHART, configDigest: 'today' }));
    assert.deepEqual(
      composed.history.map(({ revision, version }) => [revision, version]),
      [
        [2, '0.9.0'],
        [1, '0.9.0'],
      ],
    );
  });

  it('stays while somebody else has the release', () => {
    const history = [{ revision: 1, chart: 'c', version: '0.9.0', digest: 'a', time: '', status: 'deployed' }];
    const release = { kind: 'Foreign', owner: 'n.o', revision: 1, status: 'deployed' } as const;
    assert.equal(composeStatus(work({ status: { history } }), { ...finding([]), release }).history.length, 1);
  });
});

describe('what the history says about the newest revision', () => {
  const NEWEST = { ...record(2, 'today'), time: '2026-01-01T00:00:00Z' };
  const seen = (status: object, records: readonly RevisionRecord[] = [NEWEST]): ReturnType<typeof readHistory> =>
    readHistory(work({ status }), own({ records }));
  const entry = (more: object): object => ({
    revision: 2,
    chart: 'c',
    version: '1',
    digest: 'today',
    time: NEWEST.time,
    status: 'deployed',
    ...more,
  });

  it('is its results', () => assert.deepEqual(seen({ history: [entry({ tested: false })] }).results, { tested: false }));
  it('is nothing when the entry is of a release before', () => {
    assert.deepEqual(seen({ history: [entry({ tested: false, time: '2025-01-01T00:00:00Z' })] }).results, {});
  });
  it('is that it has had its time after ten minutes, unless it was healthy once', () => {
    assert.equal(seen({}).overdue, true);
    assert.equal(seen({ history: [entry({ healthy: true })] }).overdue, false);
    assert.equal(seen({}, [{ ...NEWEST, time: '2026-01-01T00:51:00Z' }]).overdue, false);
  });
});

function work({ annotations = {}, status = {} }: { annotations?: Record<string, string>; status?: object }): Work {
  const metadata = { name: 'o', namespace: 'n', generation: 1, annotations };
  const operator: KubeObject = {
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    metadata,
    spec: { chartURL: 'https://x/y' },
    status,
  };
  const ports: Partial<OperatorPorts> = { now: () => new Date('2026-01-01T01:00:00Z') };
  return workOn(ports as OperatorPorts, operator, AbortSignal.timeout(1_000));
}

function attempted(more: object): object {
  return { lastAttempted: { generation: 1, requestedAt: '', time: '2026-01-01T00:00:00Z', ...more } };
}

function record(revision: number, configDigest: string, status: RevisionRecord['status'] = 'deployed'): RevisionRecord {
  return { revision, status, configDigest, time: `time ${revision}` };
}

function finding(records: readonly RevisionRecord[], more: Partial<Finding> = {}): Finding {
  const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '' } as const;
  return { legacyStatus: 'READY', ready, conditions: [], release: own({ records }), crds: [], ...more };
}
