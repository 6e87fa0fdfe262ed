import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { extractCrds } from '../../../../src/domain/chart/extract-crds.ts';
import { belongsToOperator } from '../../../../src/domain/operator/crd-owner.ts';
import { parseOperatorSpec } from '../../../../src/domain/operator/operator-spec.ts';
import { crdFactOf } from '../../../../src/reconcile/operator/facts/observe-crds.ts';
import { observeRelease } from '../../../../src/reconcile/helm-release/observe-release.ts';
import type { Chart } from '../../../../src/reconcile/helm-release/ports.ts';
import { publishedCrds, rolesOf } from '../../../../src/reconcile/operator/acts/app-roles.ts';

describe('the CRDs of a rendered chart', () => {
  const chart: Chart = { digest: 'd', path: '/c', contents: { metadata: { name: 'c', version: '1.0.0' }, crds: [definition('folder')] } };

  it('are taken from folder, templates and hooks, marked as the Operator’s, and nothing else is', () => {
    const rendered = [
      definition('template', { annotations: { 'helm.sh/resource-policy': 'x', keep: 'me' } }),
      definition('folder'),
      definition('hook', { annotations: { 'chandlery.dev/origin': 'hook' } }),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' } },
    ];
    const { crds, conversions } = extractCrds(rendered, chart.contents, 'ns.name');
    assert.deepEqual(conversions, []);
    assert.deepEqual(
      crds.map(({ metadata }) => [
        metadata.name,
        metadata.annotations?.['chandlery.dev/origin'],
        metadata.labels?.['chandlery.dev/operator'],
      ]),
      [
        ['folder', 'crds', 'ns.name'],
        ['hook', 'hook', 'ns.name'],
        ['template', 'template', 'ns.name'],
      ],
    );
    assert.deepEqual(crds[2]?.metadata.annotations, { keep: 'me', 'chandlery.dev/origin': 'template', 'helm.sh/resource-policy': 'keep' });
  });

  it('of 2018 are carried over, each conversion reported', () => {
    const old = {
      apiVersion: 'apiextensions.k8s.io/v1beta1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'ships.example.com' },
      spec: { group: 'example.com', version: 'v1', names: { kind: 'Ship', plural: 'ships' }, scope: 'Namespaced' },
    };
    const { crds, conversions } = extractCrds([old], chart.contents, 'ns.name');
    assert.equal(crds[0]?.apiVersion, 'apiextensions.k8s.io/v1');
    assert.deepEqual(
      conversions.map(({ name, from }) => [name, from]),
      [['ships.example.com', 'apiextensions.k8s.io/v1beta1']],
    );
  });
});

describe('whose CRD it is', () => {
  const release = { release: 'r', namespace: 'n' };
  const helm = { 'meta.helm.sh/release-name': 'r', 'meta.helm.sh/release-namespace': 'n' };
  const cases: readonly { title: string; metadata: object; brought: boolean }[] = [
    { title: 'one with our label is ours', metadata: { labels: { 'chandlery.dev/operator': 'n.o' } }, brought: true },
    {
      title: 'one with the label of another is not, whatever release it names',
      metadata: { labels: { 'chandlery.dev/operator': 'n.p' }, annotations: helm },
      brought: false,
    },
    { title: 'one that the operator registered for its release is ours', metadata: { annotations: helm }, brought: true },
    {
      title: 'one of a release of that name in another namespace is not',
      metadata: { annotations: { ...helm, 'meta.helm.sh/release-namespace': 'm' } },
      brought: false,
    },
    { title: 'one that nobody marked is a draft', metadata: {}, brought: false },
  ];
  for (const { title, metadata, brought } of cases) {
    it(title, () => assert.equal(belongsToOperator(definition('x', metadata), { release, label: 'n.o' }), brought));
  }
});

describe('whose release it is', () => {
  const cases: readonly { title: string; records: readonly Record<string, string>[]; expected: object }[] = [
    { title: 'no record is no release', records: [], expected: { kind: 'Absent' } },
    {
      title: 'a record without our label is foreign',
      records: [{ version: '1', status: 'deployed' }],
      expected: { kind: 'Foreign', owner: '', revision: 1, status: 'deployed' },
    },
    {
      title: 'a record of another Operator is foreign',
      records: [{ version: '1', status: 'deployed', 'chandlery.dev/operator': 'a.b' }],
      expected: { kind: 'Foreign', owner: 'a.b', revision: 1, status: 'deployed' },
    },
    {
      title: 'of several revisions the newest counts, by number',
      records: [
        { version: '9', status: 'superseded', 'chandlery.dev/operator': 'n.o', 'chandlery.dev/config-digest': 'old' },
        { version: '10', status: 'deployed', 'chandlery.dev/operator': 'n.o', 'chandlery.dev/config-digest': 'new' },
      ],
      expected: {
        kind: 'Own',
        revision: 10,
        status: 'deployed',
        configDigest: 'new',
        recordVersion: '1',
        records: [
          { revision: 10, status: 'deployed', configDigest: 'new', time: '' },
          { revision: 9, status: 'superseded', configDigest: 'old', time: '' },
        ],
      },
    },
    {
      title: 'an uninstalled release whose history was kept is none',
      records: [{ version: '1', status: 'uninstalled' }],
      expected: { kind: 'Absent' },
    },
  ];
  for (const { title, records, expected } of cases) {
    it(title, async () => {
      const items = records.map((labels, index) => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: `${index}`, resourceVersion: `${index}`, labels },
      }));
      const cluster = { listMetadata: () => Promise.resolve({ items, resourceVersion: '1' }) };
      const query = { label: 'n.o', signal: AbortSignal.timeout(1_000) };
      assert.deepEqual(await observeRelease(cluster, { release: 'o', namespace: 'n' }, query), expected);
    });
  }
});

describe('permissions on Apps', () => {
  const app = crdFactOf(definition('caches.example.com'), 'n.o');
  const spec = { chartURL: 'https://a.io/a.tgz', catalog: { kinds: [{ kind: 'Hidden', hidden: true }] } };
  const { catalog } = parseOperatorSpec({ apiVersion: 'v1', kind: 'Operator', metadata: { name: 'o' }, spec });

  it('are given on namespaced kinds that are not hidden', () => {
    const crds = [app, { ...app, name: 'b', kind: 'Hidden' }, { ...app, name: 'c', namespaced: false }];
    assert.deepEqual(
      publishedCrds(crds, { catalog }).map(({ name }) => name),
      ['caches.example.com'],
    );
  });

  it('let viewers read, and developers and maintainers write', () => {
    const [view, edit] = rolesOf(app, 'n.o');
    assert.equal(view?.metadata.name, 'chandlery-app-caches.example.com-view');
    assert.equal(view.metadata.labels?.['chandlery.dev/aggregate-to-viewer'], 'true');
    assert.doesNotMatch(stringifyJson(view), /create|delete|update|patch/);
    assert.equal(edit?.metadata.labels?.['chandlery.dev/aggregate-to-viewer'], undefined);
    assert.equal(edit?.metadata.labels?.['chandlery.dev/aggregate-to-developer'], 'true');
  });
});

function definition(name: string, metadata: object = {}): KubeObject {
  const spec = {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Cache', plural: 'caches' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: {} } } } },
      },
    ],
  };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name, ...metadata }, spec };
}
