import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { draftKinds, type DraftKind } from '../../../../src/domain/catalog/draft-kinds.ts';
import { at } from '../../../../src/domain/core/read.ts';
import type { KubeObject, ObjectMeta } from '../../../../src/domain/kubernetes/resource.ts';
import { sampleCrd, sampleOperator } from '../../../support/sample-drafts.ts';

const OPERATORS: readonly KubeObject[] = [
  sampleOperator('pg', {
    releaseName: 'pg-release',
    targetNamespace: 'db',
    chart: { repoURL: 'file://c', name: 'pg-chart', version: '1.0.0' },
  }),
  sampleOperator('red', {
    catalog: {
      kinds: [
        { kind: 'Claimed', definition: 'claimeds.red.io' },
        { kind: 'Known', summary: 'Kept' },
      ],
    },
  }),
];
const HAVE = sampleCrd('haves.pg.io', 'Have', { labels: { 'chandlery.dev/operator': 'chandlery-system.pg' } });

const helm = (namespace: string, name: string): Partial<ObjectMeta> => ({
  annotations: { 'meta.helm.sh/release-name': name, 'meta.helm.sh/release-namespace': namespace },
});

function draftOf(crd: KubeObject, operators = OPERATORS): DraftKind | undefined {
  return draftKinds({ operators, crds: [HAVE, crd], definitions: [], sources: [] })[0];
}

describe('a kind that no Operator publishes', () => {
  const cases: [string, KubeObject, string, string][] = [
    ['by a claim', sampleCrd('claimeds.red.io', 'Claimed'), 'Operator chandlery-system/red', 'red Claim'],
    [
      'by the Operator that left it',
      sampleCrd('a.x.io', 'A', { annotations: { 'chandlery.dev/former-operator': 'chandlery-system.pg' } }),
      'Operator chandlery-system/pg',
      'pg FormerOperator',
    ],
    ['by its release', sampleCrd('a.x.io', 'A', helm('db', 'pg-release')), 'HelmRelease db/pg-release', 'pg Release'],
    ['not by a release elsewhere', sampleCrd('a.pg.io', 'A', helm('else', 'pg-release')), 'HelmRelease else/pg-release', ''],
    [
      'by a label',
      sampleCrd('a.x.io', 'A', { labels: { 'app.kubernetes.io/instance': 'pg-release' } }),
      'HelmRelease pg-release',
      'pg Labels',
    ],
    [
      'by who wrote it',
      sampleCrd('a.x.io', 'A', { managedFields: [{ manager: 'kube-apiserver', subresource: 'status' }, { manager: 'pg-chart' }] }),
      'FieldManager pg-chart',
      'pg FieldManager',
    ],
    ['by its group', sampleCrd('a.pg.io', 'A'), 'Unknown', 'pg Group'],
    ['not at all', sampleCrd('a.x.io', 'A'), 'Unknown', ''],
    [
      'not by its group when an Operator that is gone has it',
      sampleCrd('a.pg.io', 'A', { labels: { 'chandlery.dev/operator': 'apps.gone' } }),
      'Operator apps/gone',
      '',
    ],
  ];
  for (const [how, crd, origin, operator] of cases) {
    it(`belongs to an Operator ${how}`, () => {
      const draft = draftOf(crd);
      assert.equal([draft?.origin.kind, at(draft?.origin, 'name')].filter(Boolean).join(' '), origin);
      assert.equal([draft?.operator?.name, draft?.operator?.evidence].filter(Boolean).join(' '), operator);
    });
  }

  it('is none of Chandlery, of Kubernetes, of an Operator that has it, or one that is not served', () => {
    const none = sampleCrd('a.x.io', 'A');
    const unserved = { ...none, spec: { ...(none.spec as object), versions: [{ name: 'v1', served: false, storage: true }] } };
    for (const name of ['environments.chandlery.dev', 'operators.operatorcontroller.kubeplus', 'gateways.gateway.networking.k8s.io']) {
      assert.equal(draftOf(sampleCrd(name, 'A')), undefined, name);
    }
    assert.equal(draftOf(unserved), undefined);
    assert.equal(draftOf(sampleCrd('clusters.cluster.x-k8s.io', 'Cluster'))?.kind, 'Cluster');
  });

  it('is published by an entry that keeps what the Operator says of the kind', () => {
    const crd = sampleCrd('knowns.red.io', 'Known', { managedFields: [{ manager: 'red' }] });
    const { instructions, yaml } = draftOf(crd)?.publication ?? {};
    assert.match(instructions ?? '', /in place of the entry of Known .* kubectl edit kop red --namespace chandlery-system/);
    assert.deepEqual(at(parse(yaml ?? ''), 'spec', 'catalog', 'kinds', 0), { kind: 'Known', definition: 'knowns.red.io', summary: 'Kept' });
  });

  it('is adopted by an Operator of its release, under a name that none has', () => {
    const crd = sampleCrd('a.x.io', 'A', { ...helm('apps', 'red'), labels: { 'helm.sh/chart': 'red-ops-2.1.0_build' } });
    const made: unknown = parse(draftOf(crd)?.publication.yaml ?? '');
    assert.equal(at(made, 'metadata', 'name'), 'red-2');
    assert.deepEqual(
      ['releaseName', 'targetNamespace', 'adopt'].map((key) => at(made, 'spec', key)),
      ['red', 'apps', true],
    );
    assert.deepEqual(at(made, 'spec', 'chart'), { repoURL: 'https://charts.example.com', name: 'red-ops', version: '2.1.0+build' });
  });
});
