import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { declaredRelationsOf } from '../../../../src/domain/tree/declared-edges.ts';
import { hasRelations, RELATIONS_BY_KIND } from '../../../../src/domain/tree/relations.ts';
import { buildTree } from '../../../../src/domain/tree/tree-builder.ts';
import type { TreeNode } from '../../../../src/domain/tree/tree.ts';
import { runs } from '../../../support/runs.ts';

const GATEWAY = 'gateway.networking.k8s.io/v1';
const ROOT = object('samples.example.com/v1/Shop', 'shop');
const TEMPLATE = {
  metadata: { labels: { app: 'shop' } },
  spec: {
    serviceAccountName: 'shop',
    imagePullSecrets: [{ name: 'registry' }],
    initContainers: [{ name: 'init', env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'seed', key: 'a' } } }] }],
    containers: [{ name: 'web', envFrom: [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'maybe', optional: true } }] }],
    volumes: [
      { name: 'web', configMap: { name: 'pages' } },
      { name: 'data', persistentVolumeClaim: { claimName: 'uploads' } },
      { name: 'gone', secret: { secretName: 'gone' } },
      { name: 'api', projected: { sources: [{ configMap: { name: 'kube-root-ca.crt' } }] } },
    ],
  },
};

const OBJECTS = [
  object('apps/v1/Deployment', 'web', { spec: { template: TEMPLATE } }, ROOT),
  object('apps/v1/ReplicaSet', 'web-1', { spec: { template: TEMPLATE } }, uid('Deployment', 'web')),
  object('v1/Pod', 'web-1-a', { spec: TEMPLATE.spec, labels: { app: 'shop' } }, uid('ReplicaSet', 'web-1')),
  object('apps/v1/StatefulSet', 'db', { spec: { volumeClaimTemplates: [{ metadata: { name: 'data' } }] } }, ROOT),
  ...['settings', 'pages', 'kube-root-ca.crt', 'unrelated'].map((name) => object('v1/ConfigMap', name)),
  ...['registry', 'seed', 'tls'].map((name) => object('v1/Secret', name)),
  object('v1/ServiceAccount', 'shop'),
  object('v1/PersistentVolumeClaim', 'uploads', { spec: { volumeName: 'pv-1' } }),
  object('v1/PersistentVolumeClaim', 'data-db-0'),
  object('v1/PersistentVolumeClaim', 'data-db-extra'),
  object('v1/Service', 'web', { spec: { selector: { app: 'shop' } } }),
  object('v1/Service', 'others', { spec: { selector: { app: 'others' } } }),
  object('v1/Service', 'headless', { spec: {} }),
  object('discovery.k8s.io/v1/EndpointSlice', 'web-x', { labels: { 'kubernetes.io/service-name': 'web' } }),
  object('autoscaling/v2/HorizontalPodAutoscaler', 'web', {
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
  }),
  object('policy/v1/PodDisruptionBudget', 'web', {
    spec: { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['shop'] }] } },
  }),
  object('networking.k8s.io/v1/Ingress', 'web', {
    spec: {
      tls: [{ secretName: 'tls' }],
      rules: [{ http: { paths: [{ backend: { service: { name: 'others' } } }, { backend: { service: { name: 'web' } } }] } }],
    },
  }),
  ...['HTTPRoute', 'GRPCRoute', 'TLSRoute'].map((kind) =>
    object(`${GATEWAY}/${kind}`, 'web', {
      spec: { parentRefs: [{ name: 'shared', namespace: 'infra' }], rules: [{ backendRefs: [{ name: 'web', port: 80 }] }] },
    }),
  ),
  object('gateway.networking.k8s.io/v1beta1/ReferenceGrant', 'web', { spec: { to: [{ group: '', kind: 'Service', name: 'web' }] } }),
  object('v1/ConfigMap', 'by-group', { labels: { 'example.com/shop': 'shop' } }),
  object('v1/ConfigMap', 'by-app', {
    labels: { 'app.kubernetes.io/instance': 'shop', 'app.kubernetes.io/managed-by': 'shop-operator' },
  }),
  object('v1/ConfigMap', 'of-another-kind', {
    labels: { 'app.kubernetes.io/instance': 'shop', 'app.kubernetes.io/managed-by': 'Helm' },
  }),
];

const tree = buildTree(ROOT, OBJECTS, { listed: new Set(['/Secret', '/ConfigMap']) });
const lines = linesOf(tree.root);

describe('the relations of a resource tree', () => {
  const cases: readonly (readonly [line: string, why: string])[] = [
    ['Shop/shop > Deployment/web: Owner metadata.ownerReferences[0]', 'an owner reference'],
    ['ReplicaSet/web-1 > Pod/web-1-a: Owner metadata.ownerReferences[0]', 'an owner further down'],
    ['Deployment/web > ConfigMap/pages: Mount spec.template.spec.volumes[0].configMap.name', 'a mounted ConfigMap'],
    [
      'Deployment/web > PersistentVolumeClaim/uploads: Mount spec.template.spec.volumes[1].persistentVolumeClaim.claimName',
      'a mounted claim',
    ],
    [
      'Deployment/web > ConfigMap/settings: EnvFrom spec.template.spec.containers[0].envFrom[0].configMapRef.name',
      'variables of a ConfigMap',
    ],
    [
      'Deployment/web > Secret/seed: EnvFrom spec.template.spec.initContainers[0].env[0].valueFrom.secretKeyRef.name',
      'one variable of a Secret',
    ],
    ['Deployment/web > Secret/registry: ImagePullSecret spec.template.spec.imagePullSecrets[0].name', 'the Secret of a registry'],
    ['Deployment/web > ServiceAccount/shop: ServiceAccount spec.template.spec.serviceAccountName', 'a service account of its own'],
    [
      'StatefulSet/db > PersistentVolumeClaim/data-db-0: VolumeClaim spec.volumeClaimTemplates[0].metadata.name',
      'a claim of a StatefulSet',
    ],
    ['Deployment/web < Service/web: Selector spec.selector', 'a Service stands below the workload of its Pods'],
    ['Service/web < EndpointSlice/web-x: EndpointSlice metadata.labels["kubernetes.io/service-name"]', 'the label of an EndpointSlice'],
    ['Deployment/web < HorizontalPodAutoscaler/web: ScaleTarget spec.scaleTargetRef', 'an autoscaler'],
    ['Deployment/web < PodDisruptionBudget/web: Selector spec.selector', 'a disruption budget'],
    ['Service/web < Ingress/web: Backend spec.rules[0].http.paths[1].backend.service.name', 'one of the backends of an Ingress'],
    ['Ingress/web > Secret/tls: TLS spec.tls[0].secretName', 'the certificate of an Ingress'],
    ['Service/web < HTTPRoute/web: Backend spec.rules[0].backendRefs[0]', 'an HTTPRoute'],
    ['Service/web < GRPCRoute/web: Backend spec.rules[0].backendRefs[0]', 'a GRPCRoute'],
    ['Service/web < TLSRoute/web: Backend spec.rules[0].backendRefs[0]', 'a TLSRoute'],
    ['Service/web < ReferenceGrant/web: ReferenceGrant spec.to[0]', 'a ReferenceGrant'],
    ['Shop/shop < ConfigMap/by-group: Label metadata.labels["example.com/shop"]', 'a label of the API group'],
    ['Shop/shop < ConfigMap/by-app: Label metadata.labels["app.kubernetes.io/instance"]', 'the recommended labels'],
    ['Ingress/web - /Service others Found: Backend spec.rules[0].http.paths[0].backend.service.name', 'a backend of another app is a link'],
    ['HTTPRoute/web - gateway.networking.k8s.io/Gateway shared NotRead: ParentRef spec.parentRefs[0]', 'a Gateway of another namespace'],
    ['PersistentVolumeClaim/uploads - /PersistentVolume pv-1 NotRead: Volume spec.volumeName', 'a volume'],
    ['Deployment/web - /Secret gone Missing: Mount spec.template.spec.volumes[2].secret.secretName', 'what is mounted and is not there'],
  ];
  for (const [line, why] of cases) it(`have ${why}`, () => assert.ok(lines.includes(line), `${line}\nis none of\n${lines.join('\n')}`));

  it('bring nothing of others, nothing that all use, and no optional reference to nothing', () => {
    assert.doesNotMatch(
      lines.join('\n'),
      /unrelated|headless|kube-root-ca|of-another-kind|data-db-extra|maybe|> Service\/others|< Service\/others/,
    );
  });

  it('place each object once', () => {
    const places = nodesOf(tree.root).map(({ kind, name }) => `${kind}/${name}`);
    assert.equal(new Set(places).size, places.length);
    assert.equal(tree.count, places.length);
  });

  it('do not let what others put on top speak for the health of the root', () => {
    const pod = object(
      'v1/Pod',
      'p',
      { labels: { app: 'a' }, status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
      ROOT,
    );
    const balancer = object('v1/Service', 's', { spec: { type: 'LoadBalancer', selector: { app: 'a' } } });
    const { health, count } = buildTree(ROOT, [pod, balancer]);
    assert.equal(count, 3);
    assert.equal(health.status, 'Healthy');
  });

  it('need the whole object of each kind whose fields they read', () => {
    assert.ok(hasRelations('apps/Deployment') && hasRelations('gateway.networking.k8s.io/HTTPRoute'));
    assert.ok(!hasRelations('/Secret') && !hasRelations('discovery.k8s.io/EndpointSlice'));
  });
});

describe('relations that a CRD declares by annotations', () => {
  const crd: KubeObject = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: 'shops.samples.example.com',
      annotations: {
        'resource/label-relationship': 'on:PersistentVolumeClaim, key:vendor.io/of, value:data-INSTANCE.metadata.name',
        'platform-as-code/annotation-relationship': 'on:Secret;Ingress, key:vendor.io/watched-by, value:contains(INSTANCE.metadata.name)',
        'resource/specproperty-relationship': 'on:INSTANCE.spec.database, value:Service.metadata.name',
      },
    },
    spec: { group: 'samples.example.com', names: { kind: 'Shop' } },
  };
  const root = { ...ROOT, spec: { database: 'mysql' } };
  const annotated = (type: string, name: string, watchedBy: string): KubeObject => {
    const plain = object(type, name);
    return { ...plain, metadata: { ...plain.metadata, annotations: { 'vendor.io/watched-by': watchedBy } } };
  };
  const others = [
    object('v1/PersistentVolumeClaim', 'disk', { labels: { 'vendor.io/of': 'data-shop' } }),
    object('v1/PersistentVolumeClaim', 'foreign', { labels: { 'vendor.io/of': 'shop' } }),
    annotated('v1/Secret', 'seen', '["ns/other","ns/shop"]'),
    annotated('v1/Secret', 'unseen', '["ns/shop2"]'),
    annotated('v1/ConfigMap', 'of-another-kind', 'shop'),
    object('v1/Service', 'mysql', { spec: {} }),
  ];
  const declared = declaredRelationsOf([crd]);

  it('place what names the instance, and what the instance names', () => {
    assert.deepEqual(linesOf(buildTree(root, others, { declared }).root).toSorted(), [
      'Shop/shop < PersistentVolumeClaim/disk: Label metadata.labels["vendor.io/of"]',
      'Shop/shop < Secret/seen: Annotation metadata.annotations["vendor.io/watched-by"]',
      'Shop/shop > Service/mysql: Reference spec.database',
    ]);
    assert.equal(buildTree(root, others).count, 1);
  });

  it('are a link to what is not there, and nothing where the field has no name', () => {
    const lines = (spec: unknown): readonly string[] =>
      linesOf(buildTree({ ...ROOT, spec }, [], { declared, listed: new Set(['/Service']) }).root);
    assert.deepEqual(lines({ database: 'mysql' }), ['Shop/shop - /Service mysql Missing: Reference spec.database']);
    for (const database of ['', 'No Name', 7, { a: 1 }, '__proto__']) assert.deepEqual(lines({ database }), []);
  });
});

describe('the tree of hostile objects', () => {
  const kinds = [...RELATIONS_BY_KIND.keys(), 'a.example.com/Thing'];
  const relations = [...RELATIONS_BY_KIND.values()].flat();
  const keys = [...new Set(relations.flatMap(({ path }) => path.split(/[.[\]"]+/)).filter((key) => key !== ''))];
  const names = fc.constantFrom('a', 'b', 'c', '__proto__', '');
  const { tree: junk } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 7 },
      fc.oneof(names, fc.jsonValue({ maxDepth: 1 })),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...keys, 'matchLabels', 'matchExpressions', 'toString', 'kind', 'namespace'), tie('tree'), {
        maxKeys: 6,
      }),
    ),
  }));
  const things = fc.record({
    kind: fc.constantFrom(...kinds),
    name: names,
    uid: names,
    owners: fc.array(
      fc.record({ apiVersion: junk, kind: junk, name: fc.oneof(names, junk), uid: fc.oneof(names, junk), controller: junk }),
      { maxLength: 3 },
    ),
    labels: fc.oneof(junk, fc.dictionary(fc.constantFrom('app', 'a.example.com/x', 'kubernetes.io/service-name'), names)),
    spec: junk,
  });

  it('is built whatever they hold, has each object once and ends', () => {
    fc.assert(
      fc.property(fc.array(things, { maxLength: 12 }), (all) => {
        const objects = all.map(({ kind, name, owners, ...rest }): KubeObject => {
          const [group = '', plain = ''] = kind.split('/');
          const metadata = { name, namespace: 'ns', uid: rest.uid, ownerReferences: owners, labels: rest.labels };
          return { apiVersion: group === '' ? 'v1' : `${group}/v1`, kind: plain, metadata, spec: rest.spec } as unknown as KubeObject;
        });
        const { root, count } = buildTree(ROOT, objects, { listed: new Set(kinds) });
        assert.ok(count <= objects.length + 1);
        assert.equal(nodesOf(root).length, count);
      }),
      { numRuns: runs(200) },
    );
  });

  it('holds chains and lists of any length', () => {
    const chain = Array.from({ length: 5_000 }, (_, index) => {
      const owner = index === 0 ? ROOT : uid('Thing', `t${index - 1}`);
      return object('a.example.com/v1/Thing', `t${index}`, {}, owner);
    });
    const selectors = Array.from({ length: 500 }, (_, index) => object('v1/Service', `s${index}`, { spec: { selector: { app: 'x' } } }));
    const pods = Array.from({ length: 2_000 }, (_, index) => object('v1/Pod', `p${index}`, { labels: { app: 'x' } }, ROOT));
    const volumes = Array.from({ length: 20_000 }, (_, index) => ({ configMap: { name: `c${index}` } }));
    const greedy = object('apps/v1/Deployment', 'greedy', { spec: { template: { spec: { volumes } } } }, ROOT);
    const { root, count } = buildTree(ROOT, [...chain, ...selectors, ...pods, greedy]);
    assert.equal(count, 1 + 5_000 + 500 + 2_000 + 1);
    assert.ok(depthOf(root) <= 34);
    assert.ok(nodesOf(root).every(({ links }) => links.length <= 50));
  });
});

function object(type: string, name: string, rest: Readonly<Record<string, unknown>> = {}, owner?: KubeObject | string): KubeObject {
  const { labels, ...members } = rest;
  const kind = type.split('/').at(-1) ?? '';
  const apiVersion = type.slice(0, -kind.length - 1);
  const reference = typeof owner === 'string' ? owner : owner?.metadata.uid;
  return {
    apiVersion,
    kind,
    ...members,
    metadata: {
      name,
      namespace: 'ns',
      uid: uid(kind, name),
      ...(labels === undefined ? {} : { labels: labels as Record<string, string> }),
      ...(reference === undefined ? {} : { ownerReferences: [{ apiVersion: 'v1', kind: 'Any', name: 'any', uid: reference }] }),
    },
  };
}

function uid(kind: string, name: string): string {
  return `${kind}/${name}`;
}

function nodesOf(node: TreeNode): TreeNode[] {
  return [node, ...node.children.flatMap(nodesOf)];
}

function depthOf(node: TreeNode): number {
  return 1 + Math.max(0, ...node.children.map(depthOf));
}

/** `parent > child: Class field-of-the-parent`, `parent < child: Class field-of-the-child`, and `holder - named state: Class field` for links. */
function linesOf(node: TreeNode): string[] {
  const self = `${node.kind}/${node.name}`;
  const links = node.links.map((link) => `${self} - ${link.group}/${link.kind} ${link.name} ${link.state}: ${link.class} ${link.path}`);
  const below = node.children.map((child) => {
    const sign = child.edge?.fieldOf === 'Parent' || child.edge?.class === 'Owner' ? '>' : '<';
    return `${self} ${sign} ${child.kind}/${child.name}: ${child.edge?.class ?? ''} ${child.edge?.path ?? ''}`;
  });
  return [...links, ...below, ...node.children.flatMap(linesOf)];
}
