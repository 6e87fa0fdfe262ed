import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filterOperators } from '../../../../src/domain/operator/operator-list.ts';
import { operatorFrame } from '../../../../src/web/operator/operator-frame.ts';
import { overviewTab } from '../../../../src/web/operator/operator-overview.ts';
import { instancesTab, resourcesTab, valuesTab } from '../../../../src/web/operator/operator-tabs.ts';
import { countText, operatorsPage, parseOperatorsQuery } from '../../../../src/web/operator/operators-page.ts';
import { manyOperators, SAMPLE_OPERATORS, sampleOperatorTree } from '../../../support/sample-operators.ts';

const [sample] = SAMPLE_OPERATORS;
assert.ok(sample !== undefined);
const crd = { name: 'caches.a.example', kind: 'Cache', origin: 'crds', established: true } as const;
const MISSING = { verb: 'list', group: 'a.example', resource: 'caches' };

describe('a count of instances', () => {
  const CASES = [
    ['is the sum over the kinds', [crd, { ...crd, name: 'b' }], { 'caches.a.example': { count: 2 }, b: { count: 3 } }, '5', ''],
    ['may be nothing', [crd], { 'caches.a.example': { count: 0 } }, '0', ''],
    ['is not reported while one kind is not counted', [crd, { ...crd, name: 'b' }], { b: { count: 3 } }, '', 'not counted'],
    ['is not reported without the permission to list one kind', [crd], { 'caches.a.example': { missing: MISSING } }, '', 'not allowed'],
    ['is not shown of an Operator without kinds', [], {}, '', 'no kinds'],
    ['of the controller serves where nobody else has counted', [{ ...crd, instances: 4 }], {}, '4', ''],
  ] as const;
  for (const [title, crds, counts, text, why] of CASES) {
    it(title, () => assert.deepEqual(countText(crds, counts), { text, why }));
  }
});

describe('the list of Operators', () => {
  const query = (text: string) => parseOperatorsQuery(new URLSearchParams(text));
  const pageOf = (text: string) => {
    const wanted = query(text);
    return operatorsPage(filterOperators(manyOperators(200), wanted), {}, wanted);
  };

  it('shows those that need somebody first, and one page of them', () => {
    const { live } = pageOf('');
    assert.equal(live.rows.length, 50);
    assert.equal(live.rows[0]?.status.label, 'Error');
    assert.equal(live.resultLine, '200 Operators');
  });

  it('leads to every Operator once, page by page', () => {
    const names: string[] = [];
    for (let href = '/operators'; href !== '';) {
      const { live } = pageOf(new URL(href, 'http://x').search);
      names.push(...live.rows.map(({ name }) => name));
      href = live.nextHref;
    }
    assert.equal(names.length, 200);
    assert.equal(new Set(names).size, 200);
  });

  it('keeps the filter of the page on the next one', () => {
    const { live } = pageOf('category=Databases&search=operator');
    assert.match(live.nextHref, /category=Databases/);
    assert.match(live.nextHref, /search=operator/);
    assert.equal(live.resultLine, '100 of 200 Operators');
  });

  it('counts states over all Operators, whatever the filter, and turns a chosen one off again', () => {
    const { live } = pageOf('state=Error');
    const error = live.states.find(({ label }) => label === 'Error');
    assert.deepEqual([error?.count, error?.selected, error?.href], [5, true, '/operators']);
    assert.equal(live.states.find(({ label }) => label === 'All')?.count, 200);
    assert.equal(
      live.states.some(({ label }) => label === 'Suspended'),
      false,
    );
  });

  it('leaves states that do not exist out of the query', () => {
    assert.deepEqual(query('state=Broken&state=Ready').state, ['Ready']);
  });

  it('distinguishes an empty catalogue from a search that finds nothing', () => {
    assert.equal(
      operatorsPage(filterOperators([], { search: '', state: [], category: [], upgrade: 'any' }), {}, query('')).live.empty,
      'no-operators',
    );
    assert.equal(pageOf('search=nothing-at-all').live.empty, 'no-match');
  });
});

describe('the page of an Operator', () => {
  const frame = (more: object, permissions = {}) =>
    operatorFrame({ operator: { ...sample, ...more }, permissions, tab: 'overview', asked: null });
  const labels = (found: ReturnType<typeof frame>): string[] => found.buttons.map(({ label }) => label);

  it('offers what makes sense in its state', () => {
    assert.deepEqual(labels(frame({})), ['Reconcile now', 'Force upgrade', 'Suspend']);
    assert.deepEqual(labels(frame({ suspended: true })), ['Resume']);
    assert.deepEqual(labels(frame({ status: 'DELETING' })), ['Keep']);
    assert.equal(frame({ status: 'DELETING' }).deleteHref, undefined);
  });

  it('offers nothing that the actor may not do, and names the permission', () => {
    const permission = { verb: 'patch', group: 'operatorcontroller.kubeplus', resource: 'operators', namespace: 'a', name: 'b' };
    const found = frame({}, { patch: permission });
    assert.deepEqual(labels(found), []);
    assert.match(found.rejected, /permission to patch operators\.operatorcontroller\.kubeplus "b"/);
    assert.ok(found.deleteHref !== undefined);
  });

  it('says nothing of a step that was never asked for', () => {
    assert.equal(operatorFrame({ operator: sample, permissions: {}, tab: 'overview', asked: 'constructor' }).asked, '');
  });

  it('has the newest revision first, with what came of it', () => {
    const { history } = overviewTab({ operator: sample, problems: [], counts: {}, drafts: [] });
    assert.deepEqual(
      history.map(({ revision, result }) => [revision, result.label]),
      [
        [3, 'Deployed'],
        [2, 'Rolled back'],
        [1, 'superseded'],
      ].map(([revision, word]) => [revision, word === 'superseded' ? 'Superseded' : word]),
    );
    assert.deepEqual(history[1]?.notes, ['was not healthy', 'replaced by revision 1']);
  });

  it('groups values by the layer that set them', () => {
    assert.deepEqual(
      valuesTab(sample).layers.map(({ origin, paths }) => [origin, paths.length]),
      [
        ['Secret db key password', 1],
        ['spec.values', 1],
        ['ConfigMap defaults key values.yaml', 2],
      ],
    );
  });

  it('shows five hundred resources at most, those near the Operator first, and says how many are left out', () => {
    const { tree, count, hidden } = resourcesTab(sample, sampleOperatorTree(400));
    assert.equal(count, 4 + 400 * 3);
    assert.equal(hidden, count + 1 - 500);
    assert.equal(tree.children.length, 404);
  });

  it('narrows instances to a namespace and pages them', () => {
    const instances = Array.from({ length: 250 }, (_unused, index) => ({
      app: 'caches.a.example',
      kind: 'Cache',
      namespace: index < 5 ? 'team-a' : 'team-b',
      name: `c-${String(index).padStart(3, '0')}`,
      created: '',
      finalizers: [],
    }));
    const tab = (text: string) =>
      instancesTab({ operator: sample, found: { instances, missing: [], unavailable: [] }, query: new URLSearchParams(text) });
    assert.deepEqual(
      tab('').places.map(({ place, count }) => [place, count]),
      [
        ['team-a', 5],
        ['team-b', 245],
      ],
    );
    assert.equal(tab('namespace=team-a').rows.length, 5);
    const second = tab(new URL(tab('namespace=team-b').nextHref, 'http://x').search);
    assert.deepEqual([second.rows.length, second.rows[0]?.name, second.only], [100, 'c-105', 'team-b']);
  });
});
