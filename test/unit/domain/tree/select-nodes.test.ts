import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type GraphBox, layoutGraph } from '../../../../src/domain/tree/graph-layout.ts';
import { type DrawnNode, selectNodes } from '../../../../src/domain/tree/select-nodes.ts';
import { nodesOf, type TreeNode } from '../../../../src/domain/tree/tree.ts';
import { foldText } from '../../../../src/web/page/tree-view.ts';
import { node, sampleInstances, sampleLargeTree } from '../../../support/sample-instances.ts';

const ALL = { filter: {}, expanded: '' };
const fine = { status: 'Healthy', message: '' } as const;
const bad = { status: 'Degraded', message: 'it crashes' } as const;
const pods = (count: number, sick = 0): TreeNode[] =>
  Array.from({ length: count }, (_, index) => node('Pod', `p-${index}`, { health: index < count - sick ? fine : bad }));

const namesOf = (drawn: DrawnNode): string[] => [drawn.node.name, ...drawn.children.flatMap(namesOf)];
const foldsOf = (drawn: DrawnNode): string[] => [...drawn.folds.map(foldText), ...drawn.children.flatMap(foldsOf)];

test('of many siblings of a kind the worst stay, and the rest is one line', () => {
  const { root, hidden } = selectNodes({ root: node('StatefulSet', 'db', { children: pods(53, 2) }) }, ALL);
  assert.deepEqual(namesOf(root), ['db', 'p-0', 'p-1', 'p-2', 'p-51', 'p-52']);
  assert.deepEqual(foldsOf(root), ['48 more Pods, all Healthy']);
  assert.equal(hidden, 0);
  const sick = selectNodes({ root: node('StatefulSet', 'db', { children: pods(30, 20) }) }, ALL);
  assert.deepEqual(foldsOf(sick.root), ['18 more Pods: 8 Degraded, 10 Healthy']);
  const opened = selectNodes({ root: node('StatefulSet', 'db', { children: pods(53, 2) }) }, { filter: {}, expanded: 'StatefulSet/db' });
  assert.equal(namesOf(opened.root).length, 54);
});

test('what matches is drawn with what stands above it', () => {
  const root = node('Cache', 'orders', { children: [node('StatefulSet', 'db', { children: pods(3, 1) }), node('Secret', 'password', {})] });
  const found = selectNodes({ root }, { filter: { kind: 'Pod', health: 'Degraded' }, expanded: '' });
  assert.deepEqual([namesOf(found.root), found.matched, found.total], [['orders', 'db', 'p-2'], 1, 6]);
  assert.deepEqual([found.root.isMatch, found.root.children[0]?.children[0]?.isMatch], [false, true]);
  assert.deepEqual(namesOf(selectNodes({ root }, { filter: { search: 'SECRET' }, expanded: '' }).root), ['orders', 'password']);
  assert.deepEqual(namesOf(selectNodes({ root }, { filter: { health: 'None', kind: 'Secret' }, expanded: '' }).root), [
    'orders',
    'password',
  ]);
});

test('of more than five hundred the worst are drawn, and the rest is counted', () => {
  const below = [...pods(700), ...pods(700, 100)].map((one, index) => ({ ...one, kind: `K${index % 100}`, name: `n-${index}` }));
  const { root, hidden, matched } = selectNodes(
    { root: node('Cache', 'orders', { children: below }) },
    { filter: {}, expanded: 'Cache/orders' },
  );
  assert.deepEqual([namesOf(root).length, matched, hidden], [500, 1401, 901]);
  assert.equal(root.children.filter((one) => one.node.health?.status === 'Degraded').length, 100);
});

const [instance] = sampleInstances('team-a');
assert.ok(instance !== undefined);
for (const [shape, tree] of Object.entries({
  'many levels': sampleLargeTree(instance, 1_000).root,
  'one list of one kind': node('Cache', 'orders', { children: pods(5_000, 2_500) }),
  'one list of many kinds': node('Cache', 'orders', { children: pods(5_000).map((one, index) => ({ ...one, kind: `K${index}` })) }),
})) {
  test(`of a large tree with ${shape} each resource is looked at a few times, and a part is drawn`, () => {
    let reads = 0;
    const get = (target: TreeNode, key: string | symbol): unknown => {
      reads += 1;
      return Reflect.get(target, key);
    };
    const counted = (one: TreeNode): TreeNode => new Proxy({ ...one, children: one.children.map(counted) }, { get });
    const { root, matched } = selectNodes({ root: counted(tree) }, ALL);
    const { boxes } = layoutGraph(root);
    assert.equal(matched, nodesOf(tree).length);
    assert.ok(boxes.length <= 600, `${boxes.length} boxes`);
    assert.ok(reads <= 8 * matched, `${reads} reads`);
  });
}

test('boxes never overlap, lie within the drawing, and are joined by one line each to their parent', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(), fc.constantFrom('Pod', 'Secret')), { maxLength: 120 }), (rows) => {
      const root = treeOf(rows);
      const { root: drawn } = selectNodes({ root }, ALL);
      const { boxes, edges, width, height } = layoutGraph(drawn);
      assert.equal(edges.filter(({ kind }) => kind === 'Tree').length, boxes.length - 1);
      const columns = Map.groupBy(boxes, ({ x }) => x);
      for (const column of columns.values()) assert.ok(isSpread(column.map(({ y }) => y)));
      assert.ok(boxes.every(({ x, y }: GraphBox) => x >= 0 && y >= 0 && x + 260 <= width && y + 52 <= height));
      const reported = namesOf(drawn).length + foldedIn(drawn);
      assert.equal(reported, nodesOf(root).length);
    }),
  );
});

/** Each row hangs below one of the rows before it. */
function treeOf(rows: readonly (readonly [parent: number, kind: string])[]): TreeNode {
  const lists: TreeNode[][] = [[]];
  const root = node('Cache', 'root', { children: lists[0] ?? [] });
  for (const [index, [parent, kind]] of rows.entries()) {
    const children: TreeNode[] = [];
    lists[parent % lists.length]?.push(node(kind, `n-${index}`, { children }));
    lists.push(children);
  }
  return root;
}

const foldedIn = ({ folds, children }: DrawnNode): number =>
  folds.reduce((sum, { count, below }) => sum + count + below, 0) + children.reduce((sum, child) => sum + foldedIn(child), 0);

function isSpread(tops: readonly number[]): boolean {
  const sorted = tops.toSorted((a, b) => a - b);
  return sorted.every((top, index) => index === 0 || top - (sorted[index - 1] ?? 0) >= 52);
}
