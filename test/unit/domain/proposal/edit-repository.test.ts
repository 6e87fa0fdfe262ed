import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isAppError } from '../../../../src/domain/core/errors.ts';
import { patchDocument } from '../../../../src/domain/proposal/edit-document.ts';
import { editRepository, type DocumentEdit } from '../../../../src/domain/proposal/edit-repository.ts';

const ORDERS = { group: 'samples.chandlery.dev', kind: 'Cache', namespace: 'team-a', name: 'orders' };
const FILE = `# Caches of team a
apiVersion: samples.chandlery.dev/v1
kind: Cache
metadata: {name: other, namespace: team-a}
spec: {replicas: 1}
--- # the busy one
apiVersion: samples.chandlery.dev/v1
kind: Cache
metadata:
  name: orders # of the shop
  namespace: team-a
spec:
  # three, since the sale
  replicas:   3
  version: "7.2"   # pinned
  users:
  - name: ada   # on call
    role: 'admin'
  - {name: bob, role: reader}
  extra: {on: yes, list: [a, b]}

---
apiVersion: v1
kind: ConfigMap
metadata: {name: orders, namespace: team-a}
data: {text: |-
    ---
    no boundary}
`.replace('data: {text: |-\n    ---\n    no boundary}', 'data:\n  text: |-\n    ---\n    no boundary');

describe('a proposed change of a file', () => {
  it('changes scalars where they stand, and nothing else to the byte', () => {
    const patch = {
      spec: {
        replicas: 5,
        version: '7.4',
        users: [
          { name: 'ada', role: 'owner' },
          { name: 'bob', role: 'reader' },
        ],
        extra: { list: ['a', 'c: d'] },
      },
    };
    const lines = changedLines(FILE, patchDocument(FILE, ORDERS, patch));
    assert.deepEqual(lines, [
      '-  replicas:   3',
      '-  version: "7.2"   # pinned',
      "-    role: 'admin'",
      '-  extra: {on: yes, list: [a, b]}',
      '+  replicas:   5',
      '+  version: "7.4"   # pinned',
      "+    role: 'owner'",
      '+  extra: {on: yes, list: [a, "c: d"]}',
    ]);
  });

  it('keeps comments, order and all other documents where keys and items come and go', () => {
    const patch = {
      metadata: { labels: { tier: 'on' } },
      spec: { version: null, users: [{ name: 'ada', role: 'admin' }], size: { cpu: '1' } },
    };
    const text = patchDocument(FILE, ORDERS, patch);
    const [before, busy, after] = text.split(/^---.*\n/m);
    assert.equal(before, FILE.split(/^---.*\n/m)[0]);
    assert.equal(after, FILE.split(/^---.*\n/m)[2]);
    assert.ok(text.includes('\n--- # the busy one\n'));
    for (const kept of [
      'name: orders # of the shop',
      '# three, since the sale',
      'name: ada # on call',
      "role: 'admin'",
      'extra: {on: yes, list: [a, b]}',
    ])
      assert.ok(busy?.includes(kept), `${kept} in ${busy}`);
    assert.match(busy ?? '', /labels:\n {4}tier: "on"\n/);
    assert.match(busy ?? '', /\n {2}users:\n {2}- name: ada/);
    assert.ok(!busy?.includes('version: "7') && !busy?.includes('bob'));
  });

  it('is rejected where an alias would carry it elsewhere, and where no document is the resource', () => {
    const aliased = FILE.replace('  replicas:   3', '  base: &base {a: 1}\n  copy: *base\n  replicas: 3');
    assert.throws(() => patchDocument(aliased, ORDERS, { spec: { copy: { a: 2 } } }), impossible(/alias/));
    assert.throws(() => patchDocument(FILE, { ...ORDERS, name: 'order' }, { spec: {} }), impossible(/no document/));
    assert.throws(() => patchDocument(FILE, { ...ORDERS, namespace: 'team-b' }, { spec: {} }), impossible(/no document/));
  });

  it('finds the document wherever it is when the inventory names another file, and says when nothing has it', async () => {
    const edit: DocumentEdit = { kind: 'Patch', target: ORDERS, file: 'kustomization.yaml', patch: { spec: { replicas: 4 } } };
    const files = {
      'kustomization.yaml': 'resources: [base/all.yaml]\n',
      'base/all.yaml': FILE,
      'base/broken.yaml': 'kind: Cache\nname: [orders',
    };
    assert.deepEqual([...(await edited(files, edit)).keys()], ['base/all.yaml']);
    await assert.rejects(edited({ 'a.yaml': 'a: 1' }, edit), impossible(/kustomization/));
    await assert.rejects(edited(files, { ...edit, patch: { spec: { replicas: 3 } } }), impossible(/already/));
  });

  it('adds a new resource by kind, namespace and name, and to the nearest kustomization in the style of its list', async () => {
    const object = {
      apiVersion: 'samples.chandlery.dev/v1',
      kind: 'Cache',
      metadata: { name: 'orders', namespace: 'team-a' },
      spec: { on: 'on' },
    };
    const edit: DocumentEdit = { kind: 'Add', object, plural: 'caches' };
    const files = { 'kustomization.yaml': 'resources:\n    - b.yaml # first\n    - a.yaml # last\nnamePrefix: ""\n', 'a.yaml': 'a: 1\n' };
    const edits = await edited(files, edit);
    assert.deepEqual([...edits.keys()], ['caches/team-a/orders.yaml', 'kustomization.yaml']);
    assert.match(edits.get('caches/team-a/orders.yaml') ?? '', /spec:\n {2}"on": "on"\n$/);
    assert.equal(
      edits.get('kustomization.yaml'),
      files['kustomization.yaml'].replace('# last\n', '# last\n    - caches/team-a/orders.yaml\n'),
    );
    const flow = await edited({ 'caches/kustomization.yaml': '# ours\nresources: []\n' }, edit);
    assert.equal(flow.get('caches/kustomization.yaml'), '# ours\nresources:\n  - team-a/orders.yaml\n');
    await assert.rejects(edited({ 'x.yaml': FILE }, edit), impossible(/x\.yaml has a document of Cache orders already/));
  });
});

async function edited(files: Readonly<Record<string, string>>, edit: DocumentEdit): Promise<ReadonlyMap<string, string>> {
  return await editRepository({ paths: Object.keys(files).sort(), read: async (path) => files[path] }, edit);
}

function changedLines(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  assert.equal(old.length, now.length);
  const changed = old.flatMap((line, index) => (line === now[index] ? [] : [index]));
  return [...changed.map((index) => `-${old[index]}`), ...changed.map((index) => `+${now[index]}`)];
}

function impossible(message: RegExp): (error: unknown) => boolean {
  return (error) => isAppError(error, 'ProposalImpossible') && message.test(error.message);
}
