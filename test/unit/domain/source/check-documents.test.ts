import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiVersionOf } from '../../../../src/domain/kubernetes/resource.ts';
import { CONFIG_MAP, ENVIRONMENT, type KnownType, OPERATOR, SERVICE } from '../../../../src/domain/kubernetes/resource-types.ts';
import { findKinds } from '../../../../src/domain/source/stock.ts';
import { checkDocuments, type CheckedDocuments } from '../../../../src/domain/source/check-documents.ts';
import { located, parsePlainFile } from '../../../../src/domain/source/parse-file.ts';

const DOCUMENT = 'apiVersion: operatorcontroller.kubeplus/v1\nkind: Operator\n';

describe('checking the documents of the catalogue', () => {
  const faulty: readonly { title: string; text: string; line: number; message: RegExp }[] = [
    { title: 'a document without apiVersion', text: 'kind: Operator\n', line: 1, message: /no apiVersion/ },
    { title: 'a document without kind', text: '\napiVersion: v1\n', line: 2, message: /no kind/ },
    {
      title: 'a kind that has no place here',
      text: 'apiVersion: v1\nkind: Secret\n',
      line: 2,
      message:
        /^Secret \(v1\) is not allowed in this source; it accepts Environment \(chandlery\.dev\), AppDefinition .*, Operator .*, GitLabMonitoring .* and ResourceComposition .*spec\.allowedKinds/,
    },
    {
      title: 'a catalogue source in the catalogue',
      text: 'apiVersion: chandlery.dev/v1alpha1\nkind: CatalogSource\n',
      line: 2,
      message: /is not allowed in this source/,
    },
    {
      title: 'an Operator of another version',
      text: 'apiVersion: operatorcontroller.kubeplus/v2\nkind: Operator\n',
      line: 2,
      message: /^the cluster does not serve Operator \(operatorcontroller\.kubeplus\/v2\); correct it, or install its CRD first$/,
    },
    { title: 'a resource without a name', text: `${DOCUMENT}metadata: {}\n`, line: 3, message: /no metadata.name/ },
    { title: 'a name in capitals', text: `${DOCUMENT}metadata:\n  name: Abc\n`, line: 4, message: /"Abc"/ },
    {
      title: 'a namespace on something cluster-wide',
      text: 'apiVersion: chandlery.dev/v1alpha1\nkind: Environment\nmetadata:\n  name: a\n  namespace: b\n',
      line: 5,
      message: /cluster-wide/,
    },
    {
      title: 'a health rule that does not compile',
      text: `${DOCUMENT}metadata: {name: a}\nspec:\n  catalog:\n    kinds:\n      - kind: Queue\n        health:\n          - status: Healthy\n            when: 'self.status.lag <'\n`,
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
    const operator = `${DOCUMENT}metadata:\n  name: a\n`;
    const { candidates, faults, named } = check({ 'a.yaml': operator, 'sub/b.yaml': `---\n${operator}  namespace: default\n` });
    assert.equal(candidates.length, 0);
    assert.deepEqual([...named], ['Operator.operatorcontroller.kubeplus default/a']);
    assert.deepEqual(
      faults.map(({ file, line, message }) => [file, line, message]),
      [
        ['a.yaml', 4, 'Operator default/a is also defined at sub/b.yaml:5; keep one of them'],
        ['sub/b.yaml', 5, 'Operator default/a is also defined at a.yaml:4; keep one of them'],
      ],
    );
  });

  it('the same name in two namespaces is two resources', () => {
    const { candidates } = check({ 'a.yaml': `${DOCUMENT}metadata: {name: a}\n---\n${DOCUMENT}metadata: {name: a, namespace: b}\n` });
    assert.deepEqual(
      candidates.map(({ resource }) => resource),
      ['Operator default/a', 'Operator b/a'],
    );
  });

  it('kinds of the same name in two API groups are two resources', () => {
    const text =
      'apiVersion: v1\nkind: Service\nmetadata: {name: a}\n---\napiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: a}\n';
    const { candidates, faults } = check({ 'a.yaml': text }, { allowedKinds: [{ group: '*', kind: 'Service' }] });
    assert.deepEqual(faults, []);
    assert.deepEqual(
      candidates.map(({ id }) => id),
      ['Service default/a', 'Service.serving.knative.dev default/a'],
    );
  });

  const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n';
  const scoped: readonly { title: string; text: string; namespaces?: string[]; found: RegExp }[] = [
    { title: 'without a namespace goes to the only one', text: config, found: /^ConfigMap team-a\/a$/ },
    { title: 'in the namespace is allowed', text: `${config}  namespace: team-a\n`, found: /^ConfigMap team-a\/a$/ },
    {
      title: 'in another namespace is a fault',
      text: `${config}  namespace: kube-system\n`,
      found: /^5: ConfigMap a is in namespace "kube-system"; the source is Namespaced, and may hold objects of team-a$/,
    },
    {
      title: 'without a namespace is a fault where there are two',
      text: config,
      namespaces: ['team-a', 'team-b'],
      found: /^3: ConfigMap a has no metadata\.namespace; .* objects of team-a, team-b$/,
    },
    {
      title: 'that is cluster-scoped is a fault',
      text: 'apiVersion: chandlery.dev/v1alpha1\nkind: Environment\nmetadata: {name: a}\n',
      found: /^2: Environment a is cluster-wide; the source is Namespaced/,
    },
  ];
  for (const { title, text, namespaces = ['team-a'], found } of scoped) {
    it(`a document of a namespaced source ${title}`, () => {
      const { candidates, faults } = check(
        { 'a.yaml': text },
        { mode: 'Namespaced', namespaces, allowedKinds: [{ group: '*', kind: '*' }] },
      );
      assert.match(
        [...candidates.map(({ resource }) => resource), ...faults.map(({ line, message }) => `${line}: ${message}`)].join(),
        found,
      );
    });
  }

  it('a kind that a CRD of the same revision brings is known before the cluster serves it', async () => {
    const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.example.com}
spec: {group: example.com, scope: Cluster, names: {kind: Boat, plural: boats}, versions: [{name: v1}]}
`;
    const files = [located(parsePlainFile({ file: 'a.yaml', text: crd }))];
    const kindOf = await findKinds(files, async () => undefined);
    assert.deepEqual(kindOf('example.com/v1', 'Boat'), {
      group: 'example.com',
      version: 'v1',
      resource: 'boats',
      kind: 'Boat',
      namespaced: false,
    });
    assert.equal(kindOf('example.com/v2', 'Boat'), undefined);
  });
});

const SERVED: readonly KnownType[] = [OPERATOR, ENVIRONMENT, CONFIG_MAP, SERVICE, { ...SERVICE, group: 'serving.knative.dev' }];

function check(files: Readonly<Record<string, string>>, spec: object = {}): CheckedDocuments {
  const documents = Object.entries(files).flatMap(([file, text]) => located(parsePlainFile({ file, text })).documents);
  const kindOf = (apiVersion: string, kind: string): KnownType | undefined =>
    SERVED.find((type) => type.kind === kind && apiVersionOf(type) === apiVersion);
  return checkDocuments(documents, { spec: { mode: 'Cluster', namespaces: [], ...spec }, kindOf });
}
