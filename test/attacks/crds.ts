import assert from 'node:assert/strict';
import { join } from 'node:path';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { type OperatorStatus, parseOperatorStatus } from '../../src/domain/operator/operator-status.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { chartFiles, writeFiles, type ChartFiles } from '../support/charts.ts';
import { eventually } from '../support/eventually.ts';
import type { Attack } from './attack.ts';
import { deleteCrd } from './delete-crd.ts';
import type { Target } from './target.ts';

// Charts and operators that reach for what is Chandlery's own, and CRDs that nobody gave them.

const RBAC = 'rbac.authorization.k8s.io/v1';
const HOOK = { 'helm.sh/hook': 'pre-install', 'helm.sh/hook-delete-policy': 'before-hook-creation' };
const EVERYTHING = { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] };

const ADMIN_BINDING = {
  ...object('ClusterRoleBinding', 'harmless', RBAC),
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'chandlery-admin' },
  subjects: [{ kind: 'User', name: 'oidc:stranger', apiGroup: 'rbac.authorization.k8s.io' }],
};

/** What a chart would have to hold to change what is ours, by where it stands in the chart. */
const OURS: Readonly<Record<string, ChartFiles>> = {
  environments: { 'crds/a.yaml': text(crd('environments', 'chandlery.dev', 'Environment', 'Cluster')) },
  sources: { 'templates/a.yaml': text(crd('catalogsources', 'chandlery.dev', 'CatalogSource', 'Cluster')) },
  operators: { 'crds/a.yaml': text(crd('operators', 'operatorcontroller.kubeplus', 'Operator')) },
  'operators-hook': {
    'templates/a.yaml': text(annotated(crd('operators', 'operatorcontroller.kubeplus', 'Operator'), { 'helm.sh/hook': 'crd-install' })),
  },
  squatter: { 'crds/a.yaml': text(crd('wallets', 'apps.chandlery.dev', 'Wallet')) },
  workflows: { 'crds/a.yaml': text(crd('resourcecompositions', 'workflows.kubeplus', 'ResourceComposition')) },
  list: {
    'templates/a.yaml': text({ apiVersion: 'v1', kind: 'List', items: [crd('environments', 'chandlery.dev', 'Environment', 'Cluster')] }),
  },
  apiservice: {
    'templates/a.yaml': text({
      ...object('APIService', 'v1alpha1.chandlery.dev', 'apiregistration.k8s.io/v1'),
      spec: { group: 'chandlery.dev', version: 'v1alpha1', groupPriorityMinimum: 1000, versionPriority: 10 },
    }),
  },
  'environment-object': {
    'templates/a.yaml': text({
      ...object('Environment', 'smuggled', 'chandlery.dev/v1alpha1'),
      spec: { groups: [{ name: 'oidc:strangers', role: 'maintainer' }] },
    }),
  },
  'role-hook': { 'templates/a.yaml': text(annotated({ ...object('ClusterRole', 'chandlery-developer', RBAC), ...EVERYTHING }, HOOK)) },
  aggregated: {
    'templates/a.yaml': text({
      ...object('ClusterRole', 'harmless', RBAC),
      metadata: { name: 'harmless', labels: { 'chandlery.dev/aggregate-to-developer': 'true' } },
      ...EVERYTHING,
    }),
  },
  'admin-binding': { 'templates/a.yaml': text(ADMIN_BINDING) },
  // To Kubernetes, whatever has items is a list.
  'odd-list': { 'templates/a.yaml': text({ ...object('ConfigMap', 'innocent'), items: [ADMIN_BINDING] }) },
  'odd-list-hook': { 'templates/a.yaml': text(annotated({ ...object('ConfigMap', 'innocent'), items: [ADMIN_BINDING] }, HOOK)) },
  // To Helm, a merge wins over the keys before it; to YAML it does not.
  merged: { 'templates/a.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: innocent}\n<<: ${text(ADMIN_BINDING)}\n` },
  // Without a cluster the template renders nothing.
  looked: { 'templates/a.yaml': `{{ if lookup "v1" "Namespace" "" "default" }}${text(ADMIN_BINDING)}{{ end }}` },
  'foreign-record': {
    'templates/a.yaml': text({ ...object('Secret', 'sh.helm.release.v1.cache-operator.v99'), type: 'helm.sh/release.v1' }),
  },
  'namespace-hook': { 'templates/a.yaml': text(annotated(object('Namespace', 'chandlery-system'), HOOK)) },
};

const WATCHED = [
  'crd/environments.chandlery.dev',
  'crd/catalogsources.chandlery.dev',
  'crd/operators.operatorcontroller.kubeplus',
  'clusterrole/chandlery-developer',
  'clusterrole/chandlery-admin',
];

/** A chart whose deletion hook is an object that somebody else has. */
const HOOKED = chartFiles('hooked', '1.0.0', {
  'templates/a.yaml': text({
    ...annotated(object('ConfigMap', 'farewell'), { 'helm.sh/hook': 'pre-delete', 'helm.sh/hook-delete-policy': 'hook-succeeded' }),
    data: { whose: 'of the chart' },
  }),
});

export const attacks: readonly Attack[] = [
  {
    title: 'charts bring CRDs, resources, roles, labels and release records of Chandlery itself',
    run: async (target) => {
      const before = await generations(target);
      const names = Object.keys(OURS);
      for (const [name, files] of Object.entries(OURS)) await offer(target, name, chartFiles(name, '1.0.0', files));
      for (const name of names) await create(target, name);
      for (const name of names) {
        const status = await eventually(async () => {
          const found = await statusOf(target, name);
          return findCondition(found.conditions, 'Stalled') === undefined ? undefined : found;
        }, `the Operator ${name} is stalled`);
        assert.match(findCondition(status.conditions, 'Ready')?.message ?? '', /remove it from the chart/, name);
        assert.equal(findCondition(status.conditions, 'Ready')?.reason, 'ObjectReserved', name);
        assert.equal(status.release, undefined, `${name} was installed`);
      }
      assert.deepEqual(await generations(target), before);
      for (const gone of ['environment/smuggled', 'clusterrole/harmless', 'clusterrolebinding/harmless', 'crd/wallets.apps.chandlery.dev'])
        assert.notEqual((await target.kubectl('root', ['get', gone])).exitCode, 0, `${gone} is there`);
      for (const name of names) await remove(target, name);
      return names.length;
    },
  },
  {
    title: 'the preflight of such charts lets them pass',
    run: async (target) => {
      const names = ['environments', 'operators-hook', 'aggregated', 'role-hook', 'odd-list', 'odd-list-hook', 'merged'];
      for (const name of names) {
        const { json, text: body } = await target.call('admin', '/api/v1/operators?dryRun=All', { method: 'POST', body: operator(name) });
        const blocked = blockedIn(json);
        assert.ok(
          blocked.some(({ message }) => message.includes('remove it from the chart')),
          `${name}: ${body.slice(0, 500)}`,
        );
      }
      return names.length;
    },
  },
  {
    title: 'a chart takes over a CRD that somebody has made by hand, and Cascade deletes it with all instances',
    run: async (target) => {
      const theirs = crd('ledgers', 'finance.example.com', 'Ledger');
      await applied(target, theirs);
      await offer(target, 'taker', chartFiles('taker', '1.0.0', { 'crds/a.yaml': text(theirs) }));
      const { json } = await target.call('admin', '/api/v1/operators?dryRun=All', { method: 'POST', body: operator('taker') });
      const blocked = blockedIn(json);
      assert.ok(
        blocked.some(({ message }) => /no Operator owns it; set spec\.adopt/.test(message)),
        JSON.stringify(blocked),
      );
      await create(target, 'taker', { deletionPolicy: 'Cascade' });
      await eventually(async () => reasonOf(await statusOf(target, 'taker')) === 'CrdConflict', 'the conflict is reported');
      await remove(target, 'taker');
      const { stdout } = await target.kubectl('root', ['get', 'crd', 'ledgers.finance.example.com', '-o', 'jsonpath={.metadata.labels}']);
      assert.equal(stdout, '');
      // The same with consent: what is asked for by name is given.
      await create(target, 'taker', { adopt: true });
      await eventually(async () => (await statusOf(target, 'taker')).status === 'READY', 'it is adopted');
      await remove(target, 'taker');
      // And back without it: the Operator had brought the CRD before.
      await create(target, 'taker');
      await eventually(async () => (await statusOf(target, 'taker')).status === 'READY', 'it has its own CRD back');
      await remove(target, 'taker');
      await deleteCrd(target, 'ledgers.finance.example.com');
      return 4;
    },
  },
  {
    title: 'an object that is in the way of a deletion hook keeps an Operator for ever',
    run: async (target) => {
      await offer(target, 'hooked', HOOKED);
      const theirs = {
        ...object('ConfigMap', 'farewell'),
        metadata: { name: 'farewell', namespace: 'default' },
        data: { whose: 'theirs' },
      };
      await applied(target, theirs);
      for (const wayOut of ['annotate', 'delete'] as const) {
        await create(target, 'hooked');
        await eventually(async () => (await statusOf(target, 'hooked')).status === 'READY', 'it is installed');
        await target.kubectl('admin', ['delete', 'kop', 'crds-hooked', '-n', 'default', '--wait=false']);
        const message = await eventually(async () => {
          const deletable = findCondition((await statusOf(target, 'hooked')).conditions, 'Deletable');
          return deletable?.reason === 'UninstallFailed' ? deletable.message : undefined;
        }, 'it says why');
        assert.match(
          message,
          /Blocked by ConfigMap default\/farewell.*kubectl delete configmaps farewell --namespace default, or uninstall without/,
        );
        const [command = ''] = /kubectl annotate .*/.exec(message) ?? [];
        const args = wayOut === 'annotate' ? command.split(' ').slice(1) : ['delete', 'configmaps', 'farewell', '--namespace', 'default'];
        const person = wayOut === 'annotate' ? 'admin' : 'root';
        assert.equal((await target.kubectl(person, args)).exitCode, 0, args.join(' '));
        await eventually(
          async () => (await target.kubectl('admin', ['get', 'kop', 'crds-hooked', '-n', 'default'])).exitCode !== 0,
          'it is gone',
          60,
        );
        const { stdout } = await target.kubectl('root', [
          'get',
          'configmap',
          'farewell',
          '--ignore-not-found',
          '-o',
          'jsonpath={.data.whose}',
        ]);
        assert.equal(stdout, wayOut === 'annotate' ? 'theirs' : '');
      }
      return 2;
    },
  },
  {
    title: 'an operator that may write every CRD and ClusterRole registers, changes and deletes those of Chandlery at run time',
    run: async (target) => {
      const rules = [
        { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions', 'customresourcedefinitions/status'], verbs: ['*'] },
        { apiGroups: ['apiregistration.k8s.io'], resources: ['apiservices', 'apiservices/status'], verbs: ['*'] },
        { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['*'] },
      ];
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'crds-operator' };
      await applied(target, { ...object('ClusterRole', 'crds-operator', RBAC), rules });
      const subjects = ['default', 'kube-system'].map((namespace) => ({ kind: 'ServiceAccount', name: 'crds-operator', namespace }));
      await applied(target, { ...object('ClusterRoleBinding', 'crds-operator', RBAC), roleRef, subjects });
      const [as = [], inKubeSystem = []] = subjects.map(({ name, namespace }) => {
        const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
        return [`--as=system:serviceaccount:${namespace}:${name}`, ...groups.map((group) => `--as-group=${group}`)];
      });
      const before = await generations(target);
      const attempts: readonly [string, readonly string[], object?][] = [
        ['registers', ['create', '-f', '-'], crd('wallets', 'apps.chandlery.dev', 'Wallet')],
        ['registers', ['create', '-f', '-'], crd('resourcecompositions', 'workflows.kubeplus', 'ResourceComposition')],
        [
          'replaces',
          ['apply', '--server-side', '--force-conflicts', '-f', '-'],
          crd('environments', 'chandlery.dev', 'Environment', 'Cluster'),
        ],
        ['patches', ['patch', 'crd', 'environments.chandlery.dev', '--type=merge', '-p', '{"spec":{"names":{"categories":["all"]}}}']],
        [
          'renames',
          [
            'patch',
            'crd',
            'environments.chandlery.dev',
            '--subresource=status',
            '--type=merge',
            '-p',
            '{"status":{"acceptedNames":{"kind":"A"}}}',
          ],
        ],
        [
          'breaks',
          ['patch', 'apiservice', 'v1alpha1.chandlery.dev', '--subresource=status', '--type=merge', '-p', '{"status":{"conditions":[]}}'],
        ],
        ['deletes', ['delete', '--raw', `/apis/${RBAC}/clusterroles?dryRun=All&fieldSelector=metadata.name%3Dchandlery-viewer`]],
        ['states the intent', ['annotate', 'crd', 'environments.chandlery.dev', 'chandlery.dev/deletion-intent=Cascade']],
        ['deletes', ['delete', 'crd', 'environments.chandlery.dev', '--wait=false']],
        ['deletes', ['delete', 'apiservice', 'v1alpha1.chandlery.dev', '--wait=false']],
        ['deletes', ['delete', 'clusterrole', 'chandlery-admin']],
        ['aggregates', ['label', 'clusterrole', 'crds-operator', 'chandlery.dev/aggregate-to-developer=true']],
        [
          'replaces',
          ['apply', '--server-side', '--force-conflicts', '-f', '-'],
          { ...object('ClusterRole', 'chandlery-base-view', RBAC), ...EVERYTHING },
        ],
      ];
      for (const account of [as, inKubeSystem]) {
        for (const [what, args, manifest] of attempts) {
          const { exitCode, stderr } = await target.kubectl('root', [...account, ...args], manifest === undefined ? '' : text(manifest));
          const attempt = `${account[0]} ${what} ${args.join(' ')}`;
          assert.notEqual(exitCode, 0, attempt);
          // Of several policies that deny a deletion, the api-server tells any.
          assert.match(stderr, /of Chandlery are reserved|is part of Chandlery/, `${attempt}: ${stderr}`);
        }
      }
      assert.equal(await generations(target), before);
      // The policies are as they were written, so that nothing restores them again and again.
      const policies = ['get', 'validatingadmissionpolicy', 'chandlery-reserved-groups', 'chandlery-reserved-roles', '-o'];
      assert.equal((await target.kubectl('root', [...policies, 'jsonpath={.items[*].metadata.generation}'])).stdout, '1 1');
      // It is an operator all the same: kinds of its own are its own.
      const own = crd('lanterns', 'crds-operator.example.com', 'Lantern');
      assert.equal((await target.kubectl('root', [...as, 'create', '-f', '-'], text(own))).exitCode, 0);
      assert.equal((await target.kubectl('root', [...as, 'delete', 'crd', own.metadata.name])).exitCode, 0);
      for (const kind of ['clusterrolebinding', 'clusterrole']) await target.kubectl('root', ['delete', kind, 'crds-operator']);
      return 2 * attempts.length + 1;
    },
  },
];

function blockedIn(preflight: unknown): { message: string }[] {
  return (preflight as { findings?: { blocked?: { message: string }[] } }).findings?.blocked ?? [];
}

async function offer({ chartsDir }: Target, name: string, files: ChartFiles): Promise<void> {
  await writeFiles(join(chartsDir, name), files);
}

function operator(name: string, spec: object = {}): KubeObject {
  const chart = { repoURL: 'file://attacks', name, version: '1.0.0' };
  return {
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    metadata: { name: `crds-${name}`, namespace: 'default' },
    spec: { chart, ...spec },
  };
}

async function create(target: Target, name: string, spec: object = {}): Promise<void> {
  const { exitCode, stderr } = await target.kubectl('admin', ['create', '-f', '-'], text(operator(name, spec)));
  assert.equal(exitCode, 0, stderr);
}

async function remove(target: Target, name: string): Promise<void> {
  const { exitCode, stderr } = await target.kubectl('admin', ['delete', 'kop', `crds-${name}`, '-n', 'default', '--timeout=60s']);
  assert.equal(exitCode, 0, stderr);
}

async function applied(target: Target, manifest: object): Promise<void> {
  const { exitCode, stderr } = await target.kubectl('root', ['apply', '-f', '-'], text(manifest));
  assert.equal(exitCode, 0, stderr);
}

async function statusOf(target: Target, name: string): Promise<OperatorStatus> {
  const { stdout, stderr } = await target.kubectl('admin', ['get', 'kop', `crds-${name}`, '-n', 'default', '-o', 'json']);
  assert.notEqual(stdout, '', stderr);
  return parseOperatorStatus(JSON.parse(stdout) as KubeObject);
}

function reasonOf(status: OperatorStatus): string | undefined {
  return findCondition(status.conditions, 'Ready')?.reason;
}

/** What changes whenever somebody changes or replaces one of our objects. */
async function generations(target: Target): Promise<string> {
  const { stdout } = await target.kubectl('root', ['get', ...WATCHED, '-o', 'json']);
  const { items } = JSON.parse(stdout) as { items: { metadata: { uid: string; generation?: number; name: string }; rules?: unknown[] }[] };
  return JSON.stringify(items.map(({ metadata, rules }) => [metadata.name, metadata.uid, metadata.generation ?? 0, rules?.length ?? 0]));
}

function object(kind: string, name: string, apiVersion = 'v1'): KubeObject {
  return { apiVersion, kind, metadata: { name } };
}

function annotated(object: KubeObject, annotations: Record<string, string>): KubeObject {
  return { ...object, metadata: { ...object.metadata, annotations } };
}

function crd(plural: string, group: string, kind: string, scope = 'Namespaced'): KubeObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    ...object('CustomResourceDefinition', `${plural}.${group}`, 'apiextensions.k8s.io/v1'),
    spec: { group, scope, names: { plural, kind }, versions: [{ name: 'v1alpha1', served: true, storage: true, schema }] },
  };
}

function text(manifest: object): string {
  return stringifyJson(manifest);
}
