import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkDocuments, type CheckedDocuments } from '../../../../src/reconcile/source/check-documents.ts';
import { located, parsePlainFile } from '../../../../src/reconcile/source/parse/parse-file.ts';

const OPERATOR = 'apiVersion: operatorcontroller.kubeplus/v1\nkind: Operator\n';

describe('checking the documents of the catalogue', () => {
  const faulty: readonly { title: string; text: string; line: number; message: RegExp }[] = [
    { title: 'a document without apiVersion', text: 'kind: Operator\n', line: 1, message: /no apiVersion/ },
    { title: 'a document without kind', text: '\napiVersion: v1\n', line: 2, message: /no kind/ },
    {
      title: 'a kind that has no place here',
      text: 'apiVersion: v1\nkind: Secret\n',
      line: 2,
      message: /Secret \(v1\) is not.*it accepts Environment .* and Operator/,
    },
    {
      title: 'a catalogue source in the catalogue',
      text: 'apiVersion: chandlery.dev/v1alpha1\nkind: CatalogSource\n',
      line: 2,
      message: /is not allowed in the catalogue/,
    },
    {
      title: 'an Operator of another version',
      text: 'apiVersion: operatorcontroller.kubeplus/v2\nkind: Operator\n',
      line: 2,
      message: /is not allowed in the catalogue/,
    },
    { title: 'a resource without a name', text: `${OPERATOR}metadata: {}\n`, line: 3, message: /no metadata.name/ },
    { title: 'a name in capitals', text: `${OPERATOR}metadata:\n  name: Abc\n`, line: 4, message: /"Abc"/ },
    {
      title: 'a namespace on something cluster-wide',
      text: 'apiVersion: chandlery.dev/v1alpha1\nkind: Environment\nmetadata:\n  name: a\n  namespace: b\n',
      line: 5,
      message: /cluster-wide/,
    },
    {
      title: 'a health rule that does not compile',
      text: `${OPERATOR}metadata: {name: a}\nspec:\n  catalog:\n    kinds:\n      - kind: Queue\n        health:\n          - status: Healthy\n            when: 'self.status.lag <'\n`,
      line: 10,
      message: /^spec\.catalog\.kinds\[0\]\.health\[0\]\.when: the CEL expression does not compile: Unexpected token: EOF$/,
    },
  ];
  for (const { title, text, line, message } of faulty) {
    it(`${title} is a fault on its line`, () => {
      const { candidates, faults } = check({ 'a.yaml': text });
      assert.equal(candidates.length, 0);
      assert.equal(faults.length, 1);
      assert.match(faults[0]?.message ?? '', message);
      assert.equal(faults[0]?.line, line);
    });
  }

  it('a name given twice is a fault at both places, each naming the other, and neither is applied', () => {
    const operator = `${OPERATOR}metadata:\n  name: a\n`;
    const { candidates, faults, named } = check({ 'a.yaml': operator, 'sub/b.yaml': `---\n${operator}  namespace: default\n` });
    assert.equal(candidates.length, 0);
    assert.deepEqual([...named], ['Operator default/a']);
    assert.deepEqual(
      faults.map(({ file, line, message }) => [file, line, message]),
      [
        ['a.yaml', 4, 'Operator default/a is also defined at sub/b.yaml:5; keep one of them'],
        ['sub/b.yaml', 5, 'Operator default/a is also defined at a.yaml:4; keep one of them'],
      ],
    );
  });

  it('the same name in two namespaces is two resources', () => {
    const { candidates } = check({ 'a.yaml': `${OPERATOR}metadata: {name: a}\n---\n${OPERATOR}metadata: {name: a, namespace: b}\n` });
    assert.deepEqual(
      candidates.map(({ resource }) => resource),
      ['Operator default/a', 'Operator b/a'],
    );
  });
});

function check(files: Readonly<Record<string, string>>): CheckedDocuments {
  return checkDocuments(Object.entries(files).flatMap(([file, text]) => located(parsePlainFile({ file, text })).documents));
}
