import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Revision, statusField } from '../../../../src/domain/operator/kind/status-fields.ts';
import {
  type HistoryInput,
  lastHealthyRevision,
  recordHistory,
  type RevisionRecord,
} from '../../../../src/domain/operator/revision-history.ts';

const CHART = { chart: 'c', version: '1.0.0' };
const NOTHING: HistoryInput = { earlier: [], records: [], chartOf: () => CHART, results: {}, rollback: undefined, limit: 10 };

describe('the history of a release', () => {
  const cases: readonly { title: string; input: Partial<HistoryInput>; history: readonly string[] }[] = [
    { title: 'is empty without a release', input: { earlier: [entry(1)] }, history: [] },
    {
      title: 'has each revision, newest first',
      input: { records: [record(1, 'superseded'), record(2)] },
      history: ['2 deployed', '1 superseded'],
    },
    {
      title: 'orders revisions by number',
      input: { records: [record(9, 'superseded'), record(10)] },
      history: ['10 deployed', '9 superseded'],
    },
    { title: 'leaves out what is under way', input: { records: [record(1), record(2, 'pending-upgrade')] }, history: ['1 deployed'] },
    { title: 'leaves out what nobody knows the chart of', input: { records: [record(1)], chartOf: () => undefined }, history: [] },
    {
      title: 'keeps what Helm has forgotten',
      input: { earlier: [entry(1, { status: 'superseded' })], records: [record(2)] },
      history: ['2 deployed', '1 superseded'],
    },
    { title: 'is bounded', input: { limit: 2, records: [record(1), record(2), record(3)] }, history: ['3 deployed', '2 deployed'] },
    {
      title: 'records results for the newest revision only',
      input: { results: { healthy: true }, records: [record(1, 'superseded'), record(2)] },
      history: ['2 deployed healthy', '1 superseded'],
    },
    {
      title: 'keeps results',
      input: { earlier: [entry(1, { healthy: true, tested: true })], records: [record(1, 'superseded'), record(2)] },
      history: ['2 deployed', '1 superseded healthy tested'],
    },
    {
      title: 'keeps a mark while the revision is looked at again',
      input: { earlier: [entry(1, { healthy: true })], results: { tested: false }, records: [record(1)] },
      history: ['1 deployed healthy untested'],
    },
    {
      title: 'says which revision was rolled back, and to which',
      input: { rollback: { revision: 2, toRevision: 1 }, records: [record(1, 'superseded'), record(2, 'failed'), record(3)] },
      history: ['3 deployed', '2 rolled-back to 1', '1 superseded'],
    },
    {
      title: 'says nothing of a rollback that has not begun',
      input: { rollback: { revision: 2, toRevision: 1 }, records: [record(1), record(2, 'failed')] },
      history: ['2 failed', '1 deployed'],
    },
    {
      title: 'keeps that a revision was rolled back when that is forgotten',
      input: { earlier: [entry(2, { status: 'rolled-back', rolledBackTo: 1 })], records: [record(2, 'superseded'), record(3)] },
      history: ['3 deployed', '2 rolled-back to 1'],
    },
    {
      title: 'keeps nothing of a release that was made anew',
      input: { earlier: [entry(2, { healthy: true }), entry(1, { healthy: true })], records: [record(1, 'deployed', { time: 'later' })] },
      history: ['1 deployed'],
    },
  ];
  for (const { title, input, history } of cases) {
    it(title, () => {
      const recorded = recordHistory({ ...NOTHING, ...input });
      assert.deepEqual(recorded.map(shown), history);
      assert.deepEqual(recordHistory({ ...NOTHING, ...input, earlier: recorded }), recorded, 'a second time it is the same');
      assert.deepEqual(
        statusField.read(JSON.parse(JSON.stringify({ history: recorded })))?.history,
        recorded,
        'it comes back as it was written',
      );
    });
  }
});

describe('the revision to go back to', () => {
  const cases: readonly {
    title: string;
    history: readonly Revision[];
    records: readonly RevisionRecord[];
    revision: number | undefined;
  }[] = [
    { title: 'is none after a first install', history: [], records: [record(1, 'failed')], revision: undefined },
    {
      title: 'is the one before, when that was healthy',
      history: [entry(1, { healthy: true })],
      records: [record(1), record(2, 'failed')],
      revision: 1,
    },
    {
      title: 'is the newest healthy one',
      history: [entry(1, { healthy: true }), entry(2, { healthy: true }), entry(3)],
      records: [record(1, 'superseded'), record(2, 'superseded'), record(3, 'superseded'), record(4, 'failed')],
      revision: 2,
    },
    {
      title: 'is never one that was not healthy',
      history: [entry(1), entry(2, { healthy: false })],
      records: [record(1, 'superseded'), record(2), record(3, 'failed')],
      revision: undefined,
    },
    {
      title: 'is never one that Helm could not make',
      history: [entry(1, { healthy: true })],
      records: [record(1, 'failed'), record(2, 'failed')],
      revision: undefined,
    },
    {
      title: 'is never one that Helm has forgotten',
      history: [entry(1, { healthy: true })],
      records: [record(2, 'failed')],
      revision: undefined,
    },
    {
      title: 'is the newest that was deployed, of those older than the history',
      history: [],
      records: [record(1, 'superseded'), record(2), record(3, 'failed')],
      revision: 2,
    },
    {
      title: 'is a healthy one rather than a newer one that nobody knows',
      history: [entry(1, { healthy: true })],
      records: [record(1, 'superseded'), record(2), record(3, 'failed')],
      revision: 1,
    },
    {
      title: 'is none when the same step was healthy before',
      history: [entry(1, { healthy: true }), entry(2, { healthy: true, digest: 'same' })],
      records: [record(1, 'superseded'), record(2, 'deployed', { configDigest: 'same' }), record(3, 'failed', { configDigest: 'same' })],
      revision: undefined,
    },
  ];
  for (const { title, history, records, revision } of cases) {
    it(title, () => assert.equal(lastHealthyRevision(history, records), revision));
  }
});

function record(revision: number, status: RevisionRecord['status'] = 'deployed', more: Partial<RevisionRecord> = {}): RevisionRecord {
  return { revision, status, configDigest: `step ${revision}`, time: `time ${revision}`, ...more };
}

function entry(revision: number, more: Partial<Revision> = {}): Revision {
  return { revision, ...CHART, digest: `step ${revision}`, time: `time ${revision}`, status: 'deployed', ...more };
}

function shown({ revision, status, healthy, tested, rolledBackTo }: Revision): string {
  const words = [
    `${revision}`,
    status,
    word(healthy, 'healthy'),
    word(tested, 'tested'),
    rolledBackTo === undefined ? '' : `to ${rolledBackTo}`,
  ];
  return words.filter((text) => text !== '').join(' ');
}

function word(mark: boolean | undefined, text: string): string {
  if (mark === undefined) return '';
  return mark ? text : `un${text}`;
}
