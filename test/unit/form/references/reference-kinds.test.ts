import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseReferences } from '../../../../src/domain/catalog/app-references.ts';
import type { JsonObject, KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { buildForm, type FormInput } from '../../../../src/form/model/form-model.ts';
import { listFields } from '../../../../src/form/model/list-fields.ts';
import { targetId } from '../../../../src/form/references/mark-references.ts';

const text = { type: 'string' };
const ref = (members: JsonObject): JsonObject => ({ type: 'object', properties: { name: text, ...members } });
const POSTGRES = { group: 'samples.example.com', resource: 'postgresclusters', kind: 'PostgresCluster' };

describe('a reference whose kind is chosen', () => {
  const cases: readonly { title: string; properties: JsonObject; names: Readonly<Record<string, readonly string[]>> }[] = [
    {
      title: 'chooses between the issuers of cert-manager',
      properties: { issuerRef: ref({ kind: text, group: text }) },
      names: { 'spec.issuerRef.name': ['issuers.cert-manager.io', 'clusterissuers.cert-manager.io'] },
    },
    {
      title: 'chooses between the kinds that its schema lists, as far as they are known',
      properties: { source: ref({ kind: { enum: ['ConfigMap', 'Secret', 'Elsewhere'] } }) },
      names: { 'spec.source.name': ['configmaps', 'secrets'] },
    },
    {
      title: 'has one kind where its schema knows only one of those that are listed',
      properties: { source: ref({ kind: { enum: ['Elsewhere', 'Nowhere'] } }) },
      names: {},
    },
    {
      title: 'has no choice without a kind',
      properties: { issuerRef: ref({}) },
      names: { 'spec.issuerRef.name': ['issuers.cert-manager.io'] },
    },
  ];
  for (const { title, properties, names } of cases) it(title, () => assert.deepEqual(namesIn({ properties }), names));

  it('begins with the kind that is the default', () => {
    const properties = { source: ref({ kind: { enum: ['ConfigMap', 'Secret'], default: 'Secret' }, apiGroup: text }) };
    const found = fieldsOf({ properties }).find(({ path }) => path === 'spec.source.name')?.reference;
    assert.equal(found?.part === 'name' ? found.to.kind : '', 'Secret');
    assert.equal(found?.part === 'name' ? found.kinds?.group : '', 'apiGroup');
  });
});

it('A reference asks for the name before its key, however the cluster sorts them', () => {
  const secretRef = { type: 'object', properties: { key: text, name: text } };
  assert.deepEqual(
    fieldsOf({ properties: { secretRef } }).map(({ path }) => path),
    ['spec.secretRef.name', 'spec.secretRef.key'],
  );
});

describe('a field of which the catalogue says what it names', () => {
  const properties = {
    backupOf: ref({}),
    target: text,
    sources: { type: 'array', items: text },
    rows: { type: 'array', items: ref({ size: text }) },
  };
  const cases: readonly (readonly [string, string, string])[] = [
    ['a text', 'spec.target', 'spec.target'],
    ['the group that holds the name', 'spec.backupOf', 'spec.backupOf.name'],
    ['the name itself', 'spec.backupOf.name', 'spec.backupOf.name'],
    ['rows of texts', 'spec.sources', 'spec.sources[*]'],
    ['a member of rows', 'spec.rows[].name', 'spec.rows[*].name'],
  ];
  for (const [what, path, field] of cases) {
    it(`may be ${what}`, () =>
      assert.deepEqual(namesIn({ properties, references: [{ path, to: POSTGRES }] }), {
        [field]: ['postgresclusters.samples.example.com'],
      }));
  }

  it('may be one that there is not, which says nothing', () => {
    assert.deepEqual(namesIn({ properties, references: [{ path: 'spec.gone.name', to: POSTGRES }] }), {});
  });

  it('is read from the catalogue, with the plural that the cluster knows', () => {
    const crds: KubeObject[] = [
      {
        apiVersion: 'v1',
        kind: 'CRD',
        metadata: { name: 'a' },
        spec: { group: 'a.io', names: { kind: 'Postgres', plural: 'postgreses' } },
      },
    ];
    const references = {
      'spec.a': { group: 'a.io', kind: 'Postgres' },
      'spec.b': { group: '', kind: 'Secret' },
      'spec.c': { group: 'b.io', kind: 'Proxy' },
    };
    assert.deepEqual(
      parseReferences({ references }, crds).map(({ path, plural, group }) => `${path} ${plural} ${group}`),
      ['spec.a postgreses a.io', 'spec.b secrets ', 'spec.c proxies b.io'],
    );
  });
});

function fieldsOf(input: Pick<FormInput, 'references'> & { readonly properties: JsonObject }) {
  const { properties, ...rest } = input;
  return listFields(buildForm({ schema: { type: 'object', properties }, root: 'spec', curated: [], mode: 'create', ...rest }));
}

/** What the fields name, each kind that may be chosen. */
function namesIn(input: Parameters<typeof fieldsOf>[0]): Readonly<Record<string, readonly string[]>> {
  const named = fieldsOf(input).flatMap(({ path, reference }) => {
    if (reference?.part !== 'name') return [];
    return [[path, (reference.kinds?.to ?? [reference.to]).map(targetId)] as const];
  });
  return Object.fromEntries(named);
}
