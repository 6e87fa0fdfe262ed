import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt, textAt } from '../../src/domain/core/read.ts';
import { chartFiles, packChart } from '../support/charts.ts';
import { eventually } from '../support/eventually.ts';
import type { Attack } from './attack.ts';
import { ATTACKED } from './people.ts';
import type { Target } from './target.ts';

// What an Environment is known by, the policies that go by it, and Operators that would share its namespace.

const LEVEL = 'pod-security.kubernetes.io/enforce';
const OPERATOR_NAMESPACE = 'chandlery-system';
/** Somebody who may change namespaces, and no Environment. */
const LABELLER = ['--as=labeller', '--as-group=labellers'];
const POLICIES = ['token-secrets', 'token-requests', 'service-accounts', 'namespaces'].map((name) => `chandlery-environment-${name}`);

export const attacks: readonly Attack[] = [
  {
    title: 'somebody takes the labels off the namespace of an environment, or gives them to another one',
    run: async (target) => {
      await root(target, ['apply', '-f', '-'], list(labellerRights()));
      const tries = [
        ['label', '--overwrite', 'namespace', ATTACKED, `${LEVEL}=privileged`],
        ['label', 'namespace', ATTACKED, `${LEVEL}-`],
        ['label', 'namespace', ATTACKED, 'chandlery.dev/environment-'],
        ['label', '--overwrite', 'namespace', ATTACKED, 'chandlery.dev/environment=foreign'],
        ['annotate', 'namespace', ATTACKED, 'chandlery.dev/allowed-service-accounts=default'],
        ['annotate', '--overwrite', 'namespace', ATTACKED, 'chandlery.dev/environment-uid=1'],
        ['annotate', 'namespace', ATTACKED, 'chandlery.dev/namespace-uid-'],
        ['label', 'namespace', 'default', `chandlery.dev/environment=${ATTACKED}`],
        ['annotate', 'namespace', 'default', `chandlery.dev/last-environment=${ATTACKED}`],
      ];
      for (const args of tries) {
        assert.match((await target.kubectl('root', [...LABELLER, ...args])).stderr, /denied request.*update environments/, args.join(' '));
        for (const person of ['developer', 'maintainer', 'admin'] as const) {
          assert.match((await target.kubectl(person, args)).stderr, /Forbidden|denied request/, `${person}: ${args.join(' ')}`);
        }
      }
      assert.equal((await target.kubectl('root', [...LABELLER, 'label', 'namespace', ATTACKED, 'example.com/a=b'])).exitCode, 0);
      return tries.length * 4;
    },
  },
  {
    title: 'the level of Pod Security stays as an admin of the cluster has changed it by hand',
    run: async (target) => {
      await root(target, ['label', '--overwrite', 'namespace', ATTACKED, `${LEVEL}=privileged`]);
      const level = ['get', 'namespace', ATTACKED, '-o', `jsonpath={.metadata.labels.${LEVEL.replaceAll('.', '\\.')}}`];
      await eventually(async () => (await root(target, level)) === 'baseline', 'the level is restored', 20);
    },
  },
  {
    title: 'somebody gets a token of a service account of an environment that is not theirs, or that does not end within a day',
    run: async (target) => {
      const name = 'accounts';
      const groups = (['developer', 'maintainer'] as const).map((role) => ({ name: `oidc:${role}s`, role }));
      const spec = { groups, serviceAccounts: [{ name: 'robot', role: 'viewer' }], reclaim: 'Delete' };
      await root(
        target,
        ['apply', '-f', '-'],
        list([{ apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name }, spec }]),
      );
      const tokenOf = (account: string, ...more: string[]): string[] => ['create', 'token', account, '--namespace', name, ...more];
      const may = async (): Promise<boolean> => (await target.kubectl('maintainer', tokenOf('robot'))).exitCode === 0;
      await eventually(may, 'a maintainer gets a token that ends', 20);
      // As a kubelet does for a pod: no policy of ours is in the way.
      await root(target, tokenOf('default', '--duration', '48h'));
      // The api-server makes a token of a year for a pod that asks for these seconds.
      const extended = tokenOf('robot', '--duration', '3607s', '--bound-object-kind', 'Pod', '--bound-object-name', 'bound');
      const overrides = JSON.stringify({ spec: { serviceAccountName: 'robot' } });
      await root(target, ['run', 'bound', '--namespace', name, '--image=example.com/image', '--overrides', overrides]);
      const annotations = { 'kubernetes.io/service-account.name': 'robot' };
      const metadata = { name: 'robot-token', namespace: name, annotations };
      const secret = JSON.stringify({ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/service-account-token', metadata });
      const tries = [
        ['developer', tokenOf('robot')],
        ['maintainer', tokenOf('default')],
        ['maintainer', tokenOf('robot', '--duration', '25h')],
        ['root', tokenOf('robot', '--duration', '25h')],
        ['maintainer', extended],
        ['root', extended],
        ['developer', ['apply', '-f', '-']],
        ['maintainer', ['apply', '-f', '-']],
        ['root', ['apply', '-f', '-']],
      ] as const;
      for (const [person, args] of tries) {
        const { stderr } = await target.kubectl(person, args, secret);
        assert.match(stderr, /forbidden|denied request/i, `${person}: ${args.join(' ')}`);
      }
      await root(target, ['delete', 'environment', name, '--wait=false']);
      return tries.length;
    },
  },
  {
    title: 'the admission policies are deleted, weakened or exempted from',
    run: async (target) => {
      const [policy, binding] = ['validatingadmissionpolicy', 'validatingadmissionpolicybinding'];
      const inForce = async (): Promise<string> =>
        await root(target, ['get', `${policy},${binding}`, ...POLICIES, '-o', 'jsonpath={..spec}']);
      const before = await inForce();
      const exempt = [{ name: 'nobody', expression: 'false' }];
      const changes = [
        ['delete', policy, ...POLICIES],
        ['delete', binding, ...POLICIES],
        ...POLICIES.flatMap((name) => [
          ['patch', binding, name, '--type=merge', '--patch', '{"spec":{"validationActions":["Audit"]}}'],
          ['patch', policy, name, '--type=merge', '--patch', '{"spec":{"failurePolicy":"Ignore"}}'],
          ['patch', policy, name, '--type=merge', '--patch', JSON.stringify({ spec: { matchConditions: exempt } })],
        ]),
      ];
      for (const args of changes) {
        await root(target, args);
        await eventually(async () => (await inForce()) === before, `restored after ${args.join(' ')}`, 20);
      }
      return changes.length;
    },
  },
  {
    title: 'an Operator has its release, itself or an object of its chart in an environment, or its release in kube-system',
    run: async (target) => {
      await offerChart(target);
      const operators = [
        operator('into-environment', { targetNamespace: ATTACKED }),
        operator('in-environment', { targetNamespace: OPERATOR_NAMESPACE }, ATTACKED),
        operator('object-in-environment', { values: { place: ATTACKED } }),
        operator('into-kube-system', { targetNamespace: 'kube-system' }),
      ];
      for (const one of operators) {
        const { json } = await target.call('admin', '/api/v1/operators?dryRun=All', { method: 'POST', body: one });
        const blocked = listAt(json, 'faults').map((fault) => textAt(fault, 'message') ?? '');
        assert.ok(
          blocked.some((message) => /belongs to (the Environment "attacked"|Kubernetes)/.test(message)),
          stringifyJson(json),
        );
      }
      await root(target, ['apply', '-f', '-'], list(operators));
      for (const { metadata } of operators) {
        const condition = '-o=jsonpath={.status.conditions[?(@.type=="Stalled")].reason}';
        const reason = (): Promise<string> => root(target, ['get', 'operator', metadata.name, '-n', metadata.namespace, condition]);
        await eventually(async () => (await reason()) === 'NamespaceReserved', `${metadata.name} is stalled`, 60);
      }
      const written = await root(target, ['get', 'configmaps', '-A', '-l', 'example.com/attack=neighbour', '-o', 'name']);
      assert.equal(written, '');
      for (const { metadata } of operators) await root(target, ['delete', 'operator', metadata.name, '-n', metadata.namespace]);
      return operators.length * 2;
    },
  },
  {
    title: 'an Operator changes what it runs in a namespace that has become an environment by hand',
    run: async (target) => {
      await offerChart(target);
      const { name, namespace } = { name: 'earlier', namespace: OPERATOR_NAMESPACE };
      await root(target, ['create', 'namespace', name]);
      await root(target, ['apply', '-f', '-'], stringifyJson(operator(name, { targetNamespace: name })));
      const status = ['get', 'operator', name, '-n', namespace, '-o=jsonpath={.status.conditions[?(@.type=="Ready")].reason}'];
      await eventually(async () => (await root(target, status)) === 'Ready', 'the Operator is installed', 60);
      const uid = await root(target, ['get', 'namespace', name, '-o=jsonpath={.metadata.uid}']);
      await root(target, ['annotate', 'namespace', name, `chandlery.dev/namespace-uid=${uid}`]);
      await root(target, ['label', 'namespace', name, `chandlery.dev/environment=${name}`]);
      const environment = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name }, spec: {} };
      await root(target, ['apply', '-f', '-'], JSON.stringify(environment));
      await eventually(async () => (await root(target, status)) === 'NamespaceReserved', 'the Operator is stalled', 60);
      await root(target, ['apply', '-f', '-'], stringifyJson(operator(name, { targetNamespace: name, values: { place: 'default' } })));
      const observed = ['get', 'operator', name, '-n', namespace, '-o=jsonpath={.metadata.generation} {.status.observedGeneration}'];
      const isSeen = async (): Promise<boolean> => new Set((await root(target, observed)).split(' ')).size === 1;
      await eventually(isSeen, 'the controller has seen the change', 30);
      const maps = await root(target, ['get', 'configmaps', '-A', '-l', 'example.com/attack=neighbour', '-o=jsonpath={..namespace}']);
      assert.equal(maps, name);
      await root(target, ['delete', 'operator', name, '-n', namespace]);
      await root(target, ['delete', 'environment', name]);
    },
  },
  {
    title: 'an environment takes the namespace of an Operator',
    run: async (target) => {
      const annotations = { 'chandlery.dev/adopt-namespace': 'true' };
      const spec = { namespace: 'cache-operator', groups: [{ name: 'oidc:developers', role: 'developer' }] };
      const environment = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name: 'greedy', annotations }, spec };
      assert.equal((await target.kubectl('admin', ['apply', '-f', '-'], JSON.stringify(environment))).exitCode, 0);
      const reason = ['get', 'environment', 'greedy', '-o=jsonpath={.status.conditions[?(@.type=="Stalled")].reason}'];
      await eventually(async () => (await root(target, reason)) === 'OperatorNamespace', 'the environment is stalled', 20);
      assert.doesNotMatch(await root(target, ['get', 'namespace', 'cache-operator', '-o', 'yaml']), /chandlery\.dev\/environment/);
      assert.notEqual((await target.kubectl('developer', ['get', 'secrets', '-n', 'cache-operator'])).exitCode, 0);
      await root(target, ['delete', 'environment', 'greedy']);
    },
  },
];

interface OperatorObject {
  readonly metadata: { readonly name: string; readonly namespace: string };
}

function operator(name: string, spec: object, namespace = OPERATOR_NAMESPACE): OperatorObject {
  const chart = { repoURL: 'file://attacks', name: 'neighbour', version: '1.0.0' };
  const metadata = { name, namespace };
  const rest = { name, chart, ...spec };
  return { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', metadata, spec: rest } as OperatorObject;
}

async function offerChart({ chartsDir }: Target): Promise<void> {
  const template = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
  namespace: {{ .Values.place | default .Release.Namespace }}
  labels: {example.com/attack: neighbour}
`;
  const files = chartFiles('neighbour', '1.0.0', { 'templates/config-map.yaml': template });
  await writeFile(join(chartsDir, 'neighbour-1.0.0.tgz'), await packChart('neighbour', files));
}

function labellerRights(): object[] {
  const apiGroup = 'rbac.authorization.k8s.io';
  const rules = [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'patch', 'update'] }];
  const [metadata, subjects] = [{ name: 'labellers' }, [{ apiGroup, kind: 'Group', name: 'labellers' }]];
  const roleRef = { apiGroup, kind: 'ClusterRole', name: 'labellers' };
  return [
    { apiVersion: `${apiGroup}/v1`, kind: 'ClusterRole', metadata, rules },
    { apiVersion: `${apiGroup}/v1`, kind: 'ClusterRoleBinding', metadata, roleRef, subjects },
  ];
}

async function root(target: Target, args: readonly string[], input?: string): Promise<string> {
  const { exitCode, stdout, stderr } = await target.kubectl('root', args, input);
  assert.equal(exitCode, 0, stderr);
  return stdout;
}

function list(items: readonly object[]): string {
  return stringifyJson({ apiVersion: 'v1', kind: 'List', items });
}
