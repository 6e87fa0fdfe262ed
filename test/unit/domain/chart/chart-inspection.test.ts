import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeInspection } from '../../../../src/domain/chart/inspection/inspection.ts';
import { fileWarnings, objectWarnings } from '../../../../src/domain/chart/inspection/warnings.ts';
import { inspectRendering, type InspectionInput } from '../../../../src/domain/chart/inspection/inspect-rendering.ts';
import { extractCrds } from '../../../../src/domain/chart/extract-crds.ts';
import type { RenderedChart } from '../../../../src/domain/chart/rendered-chart.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';

describe('the warnings about rendered objects', () => {
  const cases: readonly { title: string; object: KubeObject; codes: readonly string[]; says?: RegExp }[] = [
    { title: 'an image without a tag', object: pod({ image: 'docker.io/library/nginx' }), codes: ['FloatingImage'], says: /has no tag/ },
    { title: 'an image of a registry with a port and no tag', object: pod({ image: 'localhost:5000/nginx' }), codes: ['FloatingImage'] },
    { title: 'an image whose tag is latest', object: pod({ image: 'nginx:latest' }), codes: ['FloatingImage'], says: /whose tag moves/ },
    { title: 'an image with latest and a digest stays', object: pod({ image: `nginx:latest@sha256:${'a'.repeat(64)}` }), codes: [] },
    { title: 'an image with a version', object: pod({ image: 'nginx:1.29' }), codes: [] },
    { title: 'a container without requests', object: pod({ resources: {} }), codes: ['NoRequests'] },
    { title: 'a privileged container', object: pod({ securityContext: { privileged: true } }), codes: ['PrivilegedPod'] },
    {
      title: 'pods on the network and a path of their node',
      object: pod({}, { hostNetwork: true, volumes: [{ name: 'd', hostPath: { path: '/var/run' } }] }),
      codes: ['HostAccess'],
      says: /hostNetwork, the path \/var\/run/,
    },
    {
      title: 'a pod of a CronJob',
      object: {
        ...kind('CronJob'),
        spec: { jobTemplate: { spec: { template: { spec: { containers: [container({ image: 'a:latest' })] } } } } },
      },
      codes: ['FloatingImage'],
    },
    {
      title: 'a binding to cluster-admin',
      object: { ...kind('ClusterRoleBinding'), roleRef: { name: 'cluster-admin' }, subjects: [{ kind: 'ServiceAccount', name: 'op' }] },
      codes: ['ClusterAdmin'],
      says: /in the whole cluster to ServiceAccount op/,
    },
    {
      title: 'a binding to cluster-admin in a namespace',
      object: { ...kind('RoleBinding'), roleRef: { name: 'cluster-admin' } },
      codes: ['ClusterAdmin'],
      says: /in its namespace to nobody/,
    },
    { title: 'a binding to a role of its own', object: { ...kind('ClusterRoleBinding'), roleRef: { name: 'op' } }, codes: [] },
    {
      title: 'a role that may do everything',
      object: { ...kind('ClusterRole'), rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] },
      codes: ['WildcardPermissions'],
    },
    {
      title: 'a role that may do everything with one group',
      object: { ...kind('ClusterRole'), rules: [{ apiGroups: ['apps'], resources: ['*'], verbs: ['*'] }] },
      codes: [],
    },
    {
      title: 'a webhook that closes with its server',
      object: { ...kind('ValidatingWebhookConfiguration'), webhooks: [{ name: 'a.example.com', failurePolicy: 'Fail' }] },
      codes: ['Webhook'],
      says: /reject requests of the whole cluster, and does so while its server is away/,
    },
    { title: 'an aggregated API', object: kind('APIService'), codes: ['Webhook'] },
    {
      title: 'a role that is added to what developers have',
      object: {
        ...kind('ClusterRole'),
        metadata: { name: 'x', labels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' } },
        rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }],
      },
      codes: ['AggregatedRole'],
      says: /added to the ClusterRole edit/,
    },
    {
      title: 'a role that may impersonate',
      object: { ...kind('ClusterRole'), rules: [{ apiGroups: [''], resources: ['users'], verbs: ['impersonate'] }] },
      codes: ['EscalatingPermissions'],
    },
    {
      title: 'a binding for everybody',
      object: { ...kind('ClusterRoleBinding'), roleRef: { name: 'view' }, subjects: [{ kind: 'Group', name: 'system:authenticated' }] },
      codes: ['BroadBinding'],
    },
    {
      title: 'a hook',
      object: { ...kind('Secret'), metadata: { name: 'x', annotations: { 'helm.sh/hook': 'pre-install,pre-upgrade' } } },
      codes: ['Hook'],
    },
    { title: 'a test', object: { ...kind('Secret'), metadata: { name: 'x', annotations: { 'helm.sh/hook': 'test' } } }, codes: [] },
    {
      title: 'a RoleBinding in another namespace',
      object: { ...kind('RoleBinding'), metadata: { name: 'x', namespace: 'kube-system' }, roleRef: { name: 'view' } },
      codes: ['ForeignBinding'],
    },
    {
      title: 'an object of another namespace',
      object: { ...kind('ConfigMap'), metadata: { name: 'x', namespace: 'kube-system' } },
      codes: ['OtherNamespace'],
    },
    {
      title: 'an object of the release’s own namespace',
      object: { ...kind('ConfigMap'), metadata: { name: 'x', namespace: 'ns' } },
      codes: [],
    },
  ];
  for (const { title, object, codes, says } of cases) {
    it(`tell of ${title}: ${codes.join(', ') || 'nothing'}`, () => {
      const warnings = objectWarnings([object], 'ns');
      assert.deepEqual(
        warnings.map(({ code }) => code),
        codes,
      );
      if (says !== undefined) assert.match(warnings[0]?.message ?? '', says);
    });
  }
});

describe('the warnings about the number of objects', () => {
  for (const [count, codes] of [
    [2000, []],
    [2001, ['ManyObjects']],
  ] as const) {
    it(`are ${codes.join(', ') || 'none'} for ${count}`, () => {
      const objects = Array.from({ length: count }, () => kind('ConfigMap'));
      assert.deepEqual(
        objectWarnings(objects, 'ns').map(({ code }) => code),
        codes,
      );
    });
  }
});

describe('the warnings about the files of a chart', () => {
  const complete = { hasSchema: true, readme: '# a', description: 'A', templates: new Map<string, string>() };
  const template = (text: string) => ({ ...complete, templates: new Map([['templates/a.yaml', text]]) });
  const cases: readonly [string, Parameters<typeof fileWarnings>[0], readonly string[]][] = [
    ['nothing is missing', complete, []],
    [
      'schema, README and description are missing',
      { ...complete, hasSchema: false, readme: ' \n', description: '' },
      ['NoSchema', 'NoReadme', 'NoDescription'],
    ],
    ['a template makes a password anew each time', template('a: {{ randAlphaNum 8 | quote }}'), ['RandomValues']],
    ['a comment only speaks of it', template('{{/* randAlphaNum */}}\n# randAlphaNum'), []],
    ['a template looks into the cluster', template('{{- $s := lookup "v1" "Secret" .Release.Namespace "x" }}'), ['ClusterLookup']],
    ['text outside of actions says lookup', template('description: lookup "x"'), []],
  ];
  for (const [title, text, codes] of cases) {
    it(`are ${codes.join(', ') || 'none'} when ${title}`, () => {
      assert.deepEqual(
        fileWarnings(text).map(({ code }) => code),
        codes,
      );
    });
  }
});

describe('an inspection', () => {
  it('says where each kind comes from, and counts everything else', () => {
    const hook = { ...definition('hooks'), metadata: { name: 'hooks.example.com', annotations: { 'chandlery.dev/origin': 'hook' } } };
    const objects = [definition('folders'), definition('templates'), hook, kind('ConfigMap'), kind('ConfigMap')];
    const crds = [definition('folders')];
    const { kinds, objects: counts } = inspectRendering(input({ crds, rendering: rendered(objects, crds) }));
    assert.deepEqual(
      kinds.map(({ name, origin }) => [name, origin]),
      [
        ['folders.example.com', 'crds'],
        ['hooks.example.com', 'hook'],
        ['templates.example.com', 'template'],
      ],
    );
    assert.deepEqual(counts, [{ kind: 'ConfigMap', count: 2 }]);
  });

  it('lists conversions and failedConversions', () => {
    const old = { ...kind('Deployment'), apiVersion: 'apps/v1beta2', spec: { template: { metadata: { labels: { a: 'b' } } } } };
    const psp = { ...kind('PodSecurityPolicy'), apiVersion: 'policy/v1beta1' };
    const { conversions, failedConversions } = inspectRendering(input({ rendering: rendered([old, psp]) }));
    assert.deepEqual([conversions[0]?.to, failedConversions[0]?.kind], ['apps/v1', 'PodSecurityPolicy']);
  });

  it('of a chart that does not render still has its kinds, and says why', () => {
    const rendering: RenderedChart = { ...rendered([]), faults: [{ code: 'HelmFailed', message: 'no size' }] };
    const { kinds, warnings } = inspectRendering(input({ crds: [definition('folders')], rendering }));
    assert.deepEqual([kinds[0]?.name, warnings[0]?.code, warnings[0]?.message], ['folders.example.com', 'RenderFailed', 'no size']);
  });

  for (const [bytes, code] of [
    [100, undefined],
    [838_860, 'ReleaseLarge'],
    [1_048_576, 'ReleaseLarge'],
    [1_048_577, 'ReleaseTooLarge'],
  ] as const) {
    it(`says ${code ?? 'nothing'} of a record of ${bytes} bytes`, () => {
      assert.equal(inspectRendering(input({ recordBytes: bytes })).warnings[0]?.code, code);
    });
  }

  it('is printed without what could steer a terminal', () => {
    const { chart } = input({});
    const text = describeInspection(inspectRendering(input({ chart: { ...chart, description: 'a\u001b[2Jb\nc' } })));
    assert.ok(!text.includes('\u001b'));
    assert.match(text, /a�\[2Jb c/);
  });
});

function input(some: Partial<InspectionInput>): InspectionInput {
  return {
    chart: { name: 'a', version: '1.0.0', keywords: [], maintainers: [], dependencies: [], digest: 'sha256:0', packedBytes: 1, files: 1 },
    text: { hasSchema: true, readme: 'a', description: 'a', templates: new Map() },
    crds: [],
    rendering: rendered([]),
    namespace: 'default',
    recordBytes: 100,
    ...some,
  };
}

function rendered(objects: readonly KubeObject[], crds: readonly KubeObject[] = []): RenderedChart {
  return { ...extractCrds(objects, { crds }, ''), faults: [], unchecked: [], rewrittenImages: [] };
}

function kind(name: string): KubeObject {
  return { apiVersion: 'v1', kind: name, metadata: { name: 'x' } };
}

function container(some: object): object {
  return { name: 'c', image: 'a:1', resources: { requests: { cpu: '1m' } }, ...some };
}

function pod(some: object, spec: object = {}): KubeObject {
  return { ...kind('Deployment'), apiVersion: 'apps/v1', spec: { template: { spec: { containers: [container(some)], ...spec } } } };
}

function definition(plural: string): KubeObject {
  const spec = { group: 'example.com', scope: 'Cluster', names: { kind: 'K', plural }, versions: [{ name: 'v1' }] };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `${plural}.example.com` }, spec };
}
