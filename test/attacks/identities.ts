import assert from 'node:assert/strict';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { eventually } from '../support/eventually.ts';
import type { Attack } from './attack.ts';
import { ATTACKED } from './people.ts';
import type { Ran, Target } from './target.ts';

// Who can become a service account, and whose pods can run as one.

const TOKEN_TYPE = 'kubernetes.io/service-account-token';
const POWERFUL = ['powerful-here', 'powerful-elsewhere'];
/** Another image in a pod of somebody else is a way to its account and Secrets. */
const POD_CHANGES = ['patch', 'update'];
/** By its name alone: it has no permissions. */
const RESERVED = 'chandlery-robot';
const TEMPLATES = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'ReplicationController', 'Job', 'CronJob', 'PodTemplate'];
/** An operator that may do everything, and that does what a developer writes into a custom resource. */
const DEPUTY = ['--as=system:serviceaccount:anywhere:operator', '--as-group=system:serviceaccounts', '--as-group=system:masters'];

export const attacks: readonly Attack[] = [
  {
    title: 'a job of CI creates Jobs for a CronJob that does not exist, with a role beside its own, and keeps their pods',
    run: async (target) => {
      const account = 'robot';
      const subjects = [{ kind: 'ServiceAccount', name: account, namespace: ATTACKED }];
      const grants = { creator: { kind: 'Role', name: 'creator' }, robot: { kind: 'ClusterRole', name: 'chandlery-developer' } };
      const apiVersion = 'rbac.authorization.k8s.io/v1';
      const roleOf = Object.entries(grants).map(([name, roleRef]) => ({
        apiVersion,
        kind: 'RoleBinding',
        metadata: { name, namespace: ATTACKED },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', ...roleRef },
        subjects,
      }));
      const rules = [{ apiGroups: ['batch'], resources: ['jobs'], verbs: ['create'] }];
      const role = { apiVersion, kind: 'Role', metadata: { name: 'creator', namespace: ATTACKED }, rules };
      await root(target, ['apply', '-f', '-'], list([role, ...roleOf]));
      const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'gone', uid: 'gone', controller: true }];
      const finalizers = ['example.com/stuck'];
      const pod = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'evil' }] };
      const job = (name: string, metadata: object, template: object): object => ({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name, namespace: ATTACKED, ownerReferences, ...metadata },
        spec: { template },
      });
      const jobs = [
        job('plain', {}, { spec: pod }),
        job('finalizer', { finalizers }, { spec: pod }),
        job('pod-finalizer', {}, { metadata: { finalizers }, spec: pod }),
        job('grace-period', {}, { spec: { ...pod, terminationGracePeriodSeconds: 100_000_000 } }),
      ];
      const as = [`--as=system:serviceaccount:${ATTACKED}:${account}`];
      const ran = await target.kubectl('root', [...as, 'create', '--dry-run=server', '-f', '-'], list(jobs));
      assertDenied(ran, jobs.length, 'chandlery-environment-jobs');
      await root(target, ['delete', '--namespace', ATTACKED, 'role/creator', 'rolebinding/creator', 'rolebinding/robot']);
      return jobs.length;
    },
  },
  {
    title: 'developers have Kubernetes fill a Secret with the token of a service account',
    run: async (target) => {
      await makeAccounts(target);
      const accounts = ['default', 'chandlery-deployer', ...POWERFUL];
      for (const person of ['developer', 'maintainer'] as const) {
        for (const flags of [[], ['--server-side']]) {
          const secrets = accounts.map((account) => tokenSecret(`${person}-${account}`, account));
          const ran = await target.kubectl(person, ['apply', ...flags, '-f', '-'], list(secrets));
          assertDenied(ran, accounts.length, 'chandlery-environment-token-secrets');
        }
      }
      return 4 * accounts.length;
    },
  },
  {
    title: 'a developer moves a token Secret of the admins to another account, and an operator makes one on the word of a developer',
    run: async (target) => {
      await root(target, ['apply', '-f', '-'], list([tokenSecret('of-the-admins', 'default')]));
      const secret = ['--namespace', ATTACKED, 'secret', 'of-the-admins'];
      const moved = ['annotate', '--overwrite', ...secret, 'kubernetes.io/service-account.name=powerful-here'];
      assertDenied(await target.kubectl('developer', moved), 1, 'chandlery-environment-token-secrets');
      const made = await target.kubectl('root', [...DEPUTY, 'apply', '-f', '-'], list([tokenSecret('by-deputy', 'powerful-here')]));
      assertDenied(made, 1, 'chandlery-environment-token-secrets');
      await root(target, ['delete', ...secret]);
      return 2;
    },
  },
  {
    title: 'the account of releases has other permissions by hand, and a token that an earlier version let somebody have',
    run: async (target) => {
      const labels = { 'app.kubernetes.io/managed-by': 'chandlery', 'chandlery.dev/environment': ATTACKED };
      const metadata = { name: 'chandlery-deployer', namespace: ATTACKED, labels };
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' };
      const subjects = [{ kind: 'ServiceAccount', name: 'chandlery-deployer', namespace: ATTACKED }];
      const left = [
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
        { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { ...metadata, name: 'more' }, roleRef, subjects },
      ];
      await root(target, ['apply', '--server-side', '--force-conflicts', '-f', '-'], list(left));
      const stolen = await target.kubectl('root', ['apply', '-f', '-'], list([tokenSecret('stolen', 'chandlery-deployer')]));
      assertDenied(stolen, 1, 'chandlery-environment-token-secrets');
      await root(target, ['annotate', '--overwrite', 'environment', ATTACKED, `example.com/touched=${Date.now()}`]);
      const names = ['rolebinding/more', 'secret/stolen'];
      const rest = async (): Promise<string> =>
        (await root(target, ['get', '--namespace', ATTACKED, '--ignore-not-found', '-o', 'name', ...names])).trim();
      await eventually(async () => (await rest()) === '', 'the binding is gone', 30);
      return 2;
    },
  },
  {
    title: 'an operator runs pods as accounts above the developer who asks for it',
    run: async (target) => {
      await makeAccounts(target);
      const accounts = [RESERVED, ...POWERFUL];
      const objects = accounts.flatMap((account) => ['Pod', ...TEMPLATES].map((kind) => workload(kind, account)));
      const ran = await target.kubectl('root', [...DEPUTY, 'apply', '--dry-run=server', '-f', '-'], list(objects));
      assertDenied(ran, objects.length, 'chandlery-environment-service-accounts');
      const projected = { name: 't', projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 86400 } }] } };
      const odd = [
        podOf('deprecated-field', { serviceAccount: 'powerful-here' }),
        podOf('projected', { serviceAccountName: 'powerful-here', volumes: [projected] }),
        podOf('no-mount', { serviceAccountName: 'powerful-here', automountServiceAccountToken: false }),
        ...POD_CHANGES.map((verb) => podOf(verb, { serviceAccountName: `pods-${verb}` })),
      ];
      const more = await target.kubectl('root', [...DEPUTY, 'apply', '--dry-run=server', '-f', '-'], list(odd));
      assertDenied(more, odd.length, 'chandlery-environment-service-accounts');
      return objects.length + odd.length;
    },
  },
  {
    title: 'an operator gives a StatefulSet a revision with a powerful account, from which its controller makes the next pod',
    run: async (target) => {
      await makeAccounts(target);
      const [account] = POWERFUL;
      const specs = [
        { serviceAccountName: account },
        { serviceAccount: account },
        { serviceAccountName: RESERVED },
        // Go finds a field whatever the case of its key is; ſ is an s without its case.
        { ServiceAccountName: account },
        { ſerviceAccountName: account },
      ];
      const template = { spec: { ...podSpec(), serviceAccountName: account } };
      const data = [...specs.map((spec) => ({ spec: { template: { spec } } })), { Spec: { template } }, { spec: { Template: template } }];
      const revisions = data.map((content, index) => revisionOf(`revision-${index}`, content));
      const ran = await target.kubectl('root', [...DEPUTY, 'apply', '--dry-run=server', '-f', '-'], list(revisions));
      assertDenied(ran, revisions.length, 'chandlery-environment-service-accounts');
      // Revisions of other controllers, and those of accounts without permissions, are admitted.
      const others = [{ spec: { template: { spec: podSpec() } } }, { spec: { networkConfig: { 'sub-domain': 'a' } } }];
      const admitted = list(others.map((content, index) => revisionOf(`other-${index}`, content)));
      await root(target, [...DEPUTY, 'apply', '--dry-run=server', '-f', '-'], admitted);
      return revisions.length + others.length;
    },
  },
  {
    title: 'an operator moves a workload to a powerful account, or changes one that runs as such',
    run: async (target) => {
      await makeAccounts(target);
      const [own, of] = [workload('Deployment', 'default'), workload('Deployment', 'powerful-here')];
      await root(target, [...DEPUTY, 'apply', '-f', '-'], list([own]));
      await root(target, ['apply', '-f', '-'], list([of]));
      const place = ['--namespace', ATTACKED, 'deployment'];
      const asDeputy = (...args: readonly string[]): Promise<Ran> => target.kubectl('root', [...DEPUTY, ...args]);
      const policy = 'chandlery-environment-service-accounts';
      assertDenied(await asDeputy('set', 'serviceaccount', ...place, own.metadata.name, 'powerful-here'), 1, policy);
      assertDenied(await asDeputy('set', 'image', ...place, of.metadata.name, 'a=evil.example.com/image'), 1, policy);
      // What does not run anything new is let through.
      assert.equal((await asDeputy('scale', ...place, of.metadata.name, '--replicas=0')).exitCode, 0);
      assert.equal((await asDeputy('label', ...place, of.metadata.name, 'a=b')).exitCode, 0);
      await root(target, ['delete', ...place, own.metadata.name, of.metadata.name]);
      return 4;
    },
  },
  {
    title: 'pods run as the account "default", to which somebody has given permissions',
    run: async (target) => {
      await root(target, [
        'create',
        'rolebinding',
        'generous',
        '--namespace',
        ATTACKED,
        '--clusterrole=edit',
        `--serviceaccount=${ATTACKED}:default`,
      ]);
      const pods = [podOf('unnamed', {}), podOf('named', { serviceAccountName: 'default' })];
      const denied = async (): Promise<Ran> =>
        await target.kubectl('root', [...DEPUTY, 'apply', '--dry-run=server', '-f', '-'], list(pods));
      await eventually(async () => (await denied()).exitCode !== 0, 'RBAC knows the binding');
      assertDenied(await denied(), pods.length, 'chandlery-environment-service-accounts');
      await root(target, ['delete', 'rolebinding', 'generous', '--namespace', ATTACKED]);
      await eventually(async () => (await denied()).exitCode === 0, 'pods of an account without permissions are admitted');
      return pods.length;
    },
  },
  {
    title: 'the whole way: a token, a privileged DaemonSet with hostPath, and the node',
    run: async (target) => {
      await makeAccounts(target);
      const wall = { securityContext: { privileged: true }, volumeMounts: [{ name: 'root', mountPath: '/host' }] };
      const container = { name: 'a', image: 'example.com/image', ...wall };
      const spec = { hostPID: true, containers: [container], volumes: [{ name: 'root', hostPath: { path: '/' } }] };
      const account = [`--as=system:serviceaccount:${ATTACKED}:powerful-here`, '--as-group=system:serviceaccounts'];
      const pod = await target.kubectl('root', [...account, 'apply', '-f', '-'], list([podOf('privileged', spec)]));
      assert.match(pod.stderr, /violates PodSecurity "baseline/);
      const set = { ...workload('DaemonSet', 'default'), metadata: { name: 'privileged', namespace: ATTACKED } };
      set.spec.template.spec = spec;
      await root(target, [...account, 'apply', '-f', '-'], list([set]));
      const reasons = ['get', 'events', '--namespace', ATTACKED, '--field-selector=reason=FailedCreate', '-o', 'jsonpath={..message}'];
      await eventually(async () => /violates PodSecurity/.test(await root(target, reasons)), 'no pod of the DaemonSet is admitted', 30);
      assert.equal(await root(target, ['get', 'pods', '--namespace', ATTACKED, '-l', 'app=attack', '-o', 'name']), '');
      await root(target, ['delete', 'daemonset', 'privileged', '--namespace', ATTACKED]);
      return 2;
    },
  },
];

interface Template {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  // Laid out by kind; only the API server reads it.
  readonly spec: { template: { spec: object } };
}

/** An account that may create pods in the environment, and one that reads the pods of everybody. */
async function makeAccounts(target: Target): Promise<void> {
  const role = (name: string): object => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name });
  const subjects = (name: string): object[] => [{ kind: 'ServiceAccount', name, namespace: ATTACKED }];
  const [here = '', elsewhere = ''] = POWERFUL;
  const rbac = 'rbac.authorization.k8s.io/v1';
  await root(
    target,
    ['apply', '-f', '-'],
    list([
      ...[RESERVED, ...POWERFUL, ...POD_CHANGES.map((verb) => `pods-${verb}`)].map((name) => ({
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name, namespace: ATTACKED },
      })),
      {
        apiVersion: rbac,
        kind: 'RoleBinding',
        metadata: { name: here, namespace: ATTACKED },
        roleRef: role('edit'),
        subjects: subjects(here),
      },
      ...POD_CHANGES.flatMap((verb) => {
        const metadata = { name: `pods-${verb}`, namespace: ATTACKED };
        const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: metadata.name };
        return [
          { apiVersion: rbac, kind: 'Role', metadata, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', verb] }] },
          { apiVersion: rbac, kind: 'RoleBinding', metadata, roleRef, subjects: subjects(metadata.name) },
        ];
      }),
      { apiVersion: rbac, kind: 'ClusterRoleBinding', metadata: { name: elsewhere }, roleRef: role('view'), subjects: subjects(elsewhere) },
    ]),
  );
}

async function root(target: Target, args: readonly string[], input?: string): Promise<string> {
  const { exitCode, stdout, stderr } = await target.kubectl('root', args, input);
  assert.equal(exitCode, 0, stderr);
  return stdout;
}

function assertDenied({ stdout, stderr }: Ran, count: number, policy: string): void {
  assert.equal(stderr.split(`ValidatingAdmissionPolicy '${policy}'`).length - 1, count, `${stdout}\n${stderr}`);
}

function list(items: readonly object[]): string {
  return stringifyJson({ apiVersion: 'v1', kind: 'List', items });
}

function tokenSecret(name: string, account: string): object {
  const annotations = { 'kubernetes.io/service-account.name': account };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: ATTACKED, annotations }, type: TOKEN_TYPE };
}

function podOf(name: string, spec: object): object {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: ATTACKED }, spec: { ...podSpec(), ...spec } };
}

function revisionOf(name: string, data: object): object {
  return { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name, namespace: ATTACKED }, revision: 1, data };
}

function podSpec(): object {
  return { containers: [{ name: 'a', image: 'example.com/image' }] };
}

/** A pod, or what pods are made from, of an account. */
function workload(kind: string, account: string): Template {
  const core = ['Pod', 'PodTemplate', 'ReplicationController'].includes(kind);
  const apiVersion = core ? 'v1' : ['Job', 'CronJob'].includes(kind) ? 'batch/v1' : 'apps/v1';
  const labels = { app: 'attack' };
  const restartPolicy = apiVersion === 'batch/v1' ? { restartPolicy: 'Never' } : {};
  const pod = { metadata: { labels }, spec: { ...podSpec(), ...restartPolicy, serviceAccountName: account } };
  const metadata = { name: `${kind.toLowerCase()}-${account}`, namespace: ATTACKED };
  const selector = kind === 'ReplicationController' ? labels : { matchLabels: labels };
  const spec: Record<string, object> = {
    Pod: pod.spec,
    Job: { template: pod },
    StatefulSet: { selector: { matchLabels: labels }, serviceName: 'attack', template: pod },
    CronJob: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: pod } } },
  };
  const made = {
    apiVersion,
    kind,
    metadata,
    ...(kind === 'PodTemplate' ? { template: pod } : { spec: spec[kind] ?? { selector, template: pod } }),
  };
  return made as Template;
}
