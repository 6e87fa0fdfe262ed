import type { Cluster, ResourceAttributes } from '../../src/domain/kubernetes/cluster.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { ATTACKED } from './people.ts';

/** Something that one person tries, and that would give them a credential, a pod, a permission or an approval. */
export interface Attempt {
  readonly what: string;
  /** The roles to which it belongs; for all others, success is a finding. */
  readonly own?: readonly string[];
  /** Throws what the api-server says; `rejected` when a review says no. */
  run(cluster: Cluster): Promise<'done' | 'rejected'>;
}

const WRITERS = ['developer', 'maintainer'];
const RBAC = 'rbac.authorization.k8s.io';
const TOKEN = 'kubernetes.io/service-account-token';

/** All of them, by dry runs where something would be made. */
export function attempts(): readonly Attempt[] {
  return [...secrets(), ...pods(), ...workloads(), ...jobs(), ...special(), ...permissions(), ...takeovers()];
}

/** Secrets of each type that something acts on. */
function secrets(): Attempt[] {
  const secret = (namespace: string, type: string, data: Record<string, string>, annotations = {}): KubeObject => {
    return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'attempt', namespace, annotations }, type, stringData: data };
  };
  const account = (name: string): object => ({ 'kubernetes.io/service-account.name': name });
  const bootstrap = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' };
  const docker = { '.dockerconfigjson': '{"auths":{}}' };
  const types: readonly (readonly [string, Record<string, string>])[] = [
    ['Opaque', { a: 'b' }],
    ['kubernetes.io/dockerconfigjson', docker],
    ['kubernetes.io/basic-auth', { username: 'a', password: 'b' }],
    ['kubernetes.io/ssh-auth', { 'ssh-privatekey': 'a' }],
    ['kubernetes.io/tls', { 'tls.crt': '', 'tls.key': '' }],
  ];
  return [
    ...types.map(([type, data]) => create(`Secret of type ${type}`, secret(ATTACKED, type, data), WRITERS)),
    create('Secret of type helm.sh/release.v1', secret(ATTACKED, 'helm.sh/release.v1', { release: 'a' })),
    // Read by the API server in kube-system alone, so there it is a credential and here it is not.
    create('Secret of type bootstrap token here', secret(ATTACKED, 'bootstrap.kubernetes.io/token', bootstrap), WRITERS),
    create('Secret of type bootstrap token in kube-system', {
      ...secret('kube-system', 'bootstrap.kubernetes.io/token', bootstrap),
      metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
    }),
    ...['default', 'chandlery-deployer', 'chandlery'].map((name) =>
      create(`token Secret for the account ${name}`, secret(ATTACKED, TOKEN, {}, account(name))),
    ),
    ...['cache-operator', 'chandlery-system', 'kube-system'].map((namespace) =>
      create(`token Secret in ${namespace}`, secret(namespace, TOKEN, {}, account('default'))),
    ),
  ];
}

/** Pods, and all that pods are made from. */
function pods(): Attempt[] {
  const spec = {
    containers: [{ name: 'a', image: 'b', securityContext: { privileged: true } }],
    volumes: [{ name: 'r', hostPath: { path: '/' } }],
  };
  const template = { metadata: { labels: { a: 'b' } }, spec };
  const selector = { matchLabels: { a: 'b' } };
  const metadata = { name: 'attempt', namespace: ATTACKED };
  const apps = ['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'].map((kind) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata,
    spec: { selector, template },
  }));
  const objects: KubeObject[] = [
    { apiVersion: 'v1', kind: 'Pod', metadata, spec },
    { apiVersion: 'v1', kind: 'ReplicationController', metadata, spec: { template } },
    { apiVersion: 'v1', kind: 'PodTemplate', metadata, template },
    ...apps,
    { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template: { ...template, spec: { ...spec, restartPolicy: 'Never' } } } },
    { apiVersion: 'batch/v1', kind: 'CronJob', metadata, spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } } },
  ];
  return objects.map((object) => create(`privileged ${object.kind}`, object));
}

const TEMPLATE = { metadata: { labels: { app: 'prey' } }, spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } };
const [RUN_AT, REQUESTED_BY] = ['chandlery.dev/run-at', 'chandlery.dev/run-requested-by'];
const PREY = { name: 'prey', namespace: ATTACKED };

/** A Deployment without pods, and a CronJob that never runs. */
export const WORKLOADS: readonly KubeObject[] = [
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: PREY,
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'prey' } },
      template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: 'Always' } },
    },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: PREY,
    spec: { schedule: '0 0 1 1 *', suspend: true, jobTemplate: { spec: { template: TEMPLATE } } },
  },
];

/** What developers restart, suspend and run by hand, with another program in it. */
function workloads(): Attempt[] {
  const [deployment, cronJob] = WORKLOADS.map((object) => ({ ...typeOf(object), ...PREY }));
  if (deployment === undefined || cronJob === undefined) return [];
  const inTemplate = (template: object): object => ({ spec: { template } });
  const annotated = (annotations: object): object => ({ metadata: { annotations } });
  const evil = { spec: { jobTemplate: inTemplate({ spec: { containers: [{ name: 'a', image: 'evil' }] } }) } };
  const patches: readonly (readonly [string, typeof deployment, object, readonly string[]])[] = [
    [
      'the restart annotation',
      deployment,
      inTemplate({ metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': 'now' } } }),
      WRITERS,
    ],
    ['another annotation of the pod template', deployment, inTemplate({ metadata: { annotations: { inject: 'yes' } } }), []],
    ['a label of the pod template', deployment, inTemplate({ metadata: { labels: { app: 'prey', shop: 'yes' } } }), []],
    ['another image', deployment, inTemplate({ spec: { containers: [{ name: 'a', image: 'evil' }] } }), []],
    ['another service account', deployment, inTemplate({ spec: { serviceAccountName: 'builder' } }), []],
    ['replicas beside the scale subresource', deployment, { spec: { replicas: 3 } }, []],
    ['a label of its own', deployment, { metadata: { labels: { app: 'other' } } }, []],
    ['suspend', cronJob, { spec: { suspend: false } }, WRITERS],
    ['the run-at annotation', cronJob, annotated({ [RUN_AT]: '2026-01-01T00:00:00Z' }), WRITERS],
    ['a run-at annotation that is no time', cronJob, annotated({ [RUN_AT]: 'now' }), []],
    [
      'a run-at annotation in the name of somebody else',
      cronJob,
      annotated({ [RUN_AT]: '2026-01-01T00:00:00Z', [REQUESTED_BY]: 'oidc:admin' }),
      [],
    ],
    ['which run was handled', cronJob, annotated({ 'chandlery.dev/run-handled-at': '2026-01-01T00:00:00Z' }), []],
    ['another annotation', cronJob, annotated({ inject: 'yes' }), []],
    ['another schedule', cronJob, { spec: { schedule: '* * * * *' } }, []],
    ['another image of its jobs', cronJob, evil, []],
    ['another image of its jobs under the run-at annotation', cronJob, { ...evil, ...annotated({ [RUN_AT]: '2026-01-01T00:00:00Z' }) }, []],
  ];
  return patches.map(([what, ref, body, own]) => ({
    what: `patch ${ref.resource}: ${what}`,
    own,
    run: async (cluster) => {
      await cluster.patch(ref, { type: 'merge', body: { ...body } }, { dryRun: 'All' });
      return 'done';
    },
  }));
}

/** Jobs of one's own, by a CronJob that is not theirs or that does not exist. */
function jobs(): Attempt[] {
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'gone', uid: '00000000-0000-0000-0000-000000000000', controller: true };
  const job = (metadata: object, template: object = TEMPLATE): KubeObject => {
    return { apiVersion: 'batch/v1', kind: 'Job', metadata: { ...PREY, ...metadata }, spec: { template } };
  };
  const ownerReferences = [owner];
  const finalizers = ['example.com/stuck'];
  return [
    create('Job without a CronJob', job({})),
    create('Job that names a CronJob with another uid', job({ ownerReferences: [{ ...owner, name: 'prey' }] })),
    create('Job of two CronJobs', job({ ownerReferences: [owner, { ...owner, name: 'other', controller: false }] })),
    create('Job of a CronJob that does not exist', job({ ownerReferences })),
    create('the same with a finalizer', job({ ownerReferences, finalizers })),
    create(
      'the same with a finalizer of its pods',
      job({ ownerReferences }, { ...TEMPLATE, metadata: { ...TEMPLATE.metadata, finalizers } }),
    ),
    create(
      'the same with a grace period of years',
      job({ ownerReferences }, { ...TEMPLATE, spec: { ...TEMPLATE.spec, terminationGracePeriodSeconds: 100_000_000 } }),
    ),
  ];
}

/** Verbs and subresources that RBAC treats as special, and that a sweep over kinds does not see. */
function special(): Attempt[] {
  const core = (verb: string, resource: string, subresource?: string): ResourceAttributes => {
    return { verb, group: '', resource, namespace: ATTACKED, ...(subresource === undefined ? {} : { subresource }) };
  };
  const apps = (resource: string, subresource: string): ResourceAttributes => {
    return { verb: 'patch', group: 'apps', resource, subresource, namespace: ATTACKED };
  };
  const csr = 'certificates.k8s.io';
  const permissions: ResourceAttributes[] = [
    core('create', 'serviceaccounts', 'token'),
    ...['exec', 'attach', 'portforward', 'proxy'].flatMap((sub) => ['create', 'get'].map((verb) => core(verb, 'pods', sub))),
    ...['ephemeralcontainers', 'resize', 'status'].map((sub) => core('patch', 'pods', sub)),
    core('create', 'pods', 'binding'),
    ...['create', 'get'].map((verb) => core(verb, 'services', 'proxy')),
    ...['impersonate', 'use'].map((verb) => core(verb, 'serviceaccounts')),
    ...['users', 'groups'].map((resource) => ({ verb: 'impersonate', group: '', resource })),
    ...['uids', 'userextras'].map((resource) => ({ verb: 'impersonate', group: 'authentication.k8s.io', resource })),
    ...['proxy', 'stats', 'metrics', 'log'].map((subresource) => ({ verb: 'get', group: '', resource: 'nodes', subresource })),
    ...['roles', 'clusterroles'].flatMap((resource) =>
      ['bind', 'escalate'].map((verb) => ({ verb, group: RBAC, resource, namespace: ATTACKED })),
    ),
    ...['approve', 'sign', 'attest'].map((verb) => ({ verb, group: csr, resource: 'signers' })),
    { verb: 'update', group: csr, resource: 'certificatesigningrequests', subresource: 'approval' },
    ...['finalize', 'status'].map((subresource) => ({ verb: 'update', group: '', resource: 'namespaces', name: ATTACKED, subresource })),
    ...['deployments', 'statefulsets'].map((resource) => apps(resource, 'status')),
    ...['status', 'finalizers'].map((subresource) => ({
      verb: 'update',
      group: 'samples.chandlery.dev',
      resource: 'caches',
      subresource,
      namespace: ATTACKED,
    })),
    ...['list', 'watch', 'get'].map((verb) => ({ verb, group: '', resource: 'secrets', namespace: 'cache-operator' })),
    ...['list', 'get'].map((verb) => ({ verb, group: '', resource: 'secrets', namespace: 'chandlery-system' })),
    { verb: 'list', group: '', resource: 'secrets' },
    { verb: 'list', group: 'chandlery.dev', resource: 'environments' },
    { verb: 'list', group: 'chandlery.dev', resource: 'auditevents' },
    { verb: 'get', group: 'chandlery.dev', resource: 'environments', name: 'foreign' },
  ];
  const whole: ResourceAttributes[] = [
    core('list', 'secrets'),
    core('get', 'secrets'),
    core('create', 'pods', 'eviction'),
    ...['deployments', 'statefulsets'].map((resource) => apps(resource, 'scale')),
  ];
  return [...permissions.map((right) => review(right)), ...whole.map((right) => review(right, WRITERS))];
}

/** Permissions given to oneself, and kinds by which something acts as somebody else. */
function permissions(): Attempt[] {
  const me = [{ kind: 'Group', apiGroup: RBAC, name: 'oidc:developers' }];
  const roleRef = (name: string): object => ({ kind: 'ClusterRole', apiGroup: RBAC, name });
  const rule = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
  const local = { name: 'attempt', namespace: ATTACKED };
  const named = ['chandlery-viewer', 'chandlery-developer', 'chandlery-maintainer', 'edit', 'cluster-admin'];
  const labels = { 'chandlery.dev/aggregate-to-developer': 'true' };
  return [
    ...named.map((name) =>
      create(`RoleBinding to ${name}`, {
        apiVersion: `${RBAC}/v1`,
        kind: 'RoleBinding',
        metadata: local,
        roleRef: roleRef(name),
        subjects: me,
      }),
    ),
    create('Role of everything', { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: local, rules: [rule] }),
    create('ClusterRole that is aggregated', {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRole',
      metadata: { name: 'attempt', labels },
      rules: [rule],
    }),
    create('ClusterRoleBinding to cluster-admin', {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'attempt' },
      roleRef: roleRef('cluster-admin'),
      subjects: me,
    }),
    create('ServiceAccount', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: local }),
    create('CertificateSigningRequest', {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'attempt' },
      spec: { request: 'YQ==', signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] },
    }),
    create('TokenReview', { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: { name: '' }, spec: { token: 'a' } }),
  ];
}

/** What admins alone may write, tried with kubectl's own verb. */
function takeovers(): Attempt[] {
  const groups = [{ name: 'oidc:developers', role: 'maintainer' }];
  const chart = { repoURL: 'file://charts', name: 'cache-operator', version: '0.1.0' };
  const patches: readonly (readonly [string, ResourceType & { name: string; namespace?: string }, object])[] = [
    [
      'members of the own environment',
      { group: 'chandlery.dev', version: 'v1alpha1', resource: 'environments', name: ATTACKED },
      { spec: { groups } },
    ],
    [
      'Pod Security of the own environment',
      { group: 'chandlery.dev', version: 'v1alpha1', resource: 'environments', name: ATTACKED },
      { spec: { podSecurity: { enforce: 'privileged' } } },
    ],
    [
      'an Operator',
      { group: 'operatorcontroller.kubeplus', version: 'v1', resource: 'operators', namespace: 'chandlery-system', name: 'cache' },
      { spec: { values: {} } },
    ],
    ['the namespace', { group: '', version: 'v1', resource: 'namespaces', name: ATTACKED }, { metadata: { labels: { a: 'b' } } }],
    ['the quota', { group: '', version: 'v1', resource: 'resourcequotas', namespace: ATTACKED, name: 'chandlery' }, { spec: { hard: {} } }],
    [
      'the account "default"',
      { group: '', version: 'v1', resource: 'serviceaccounts', namespace: ATTACKED, name: 'default' },
      { metadata: { annotations: { role: 'admin' } } },
    ],
    [
      'an admission policy',
      {
        group: 'admissionregistration.k8s.io',
        version: 'v1',
        resource: 'validatingadmissionpolicies',
        name: 'chandlery-environment-token-secrets',
      },
      { spec: { failurePolicy: 'Ignore' } },
    ],
    ['a node', { group: '', version: 'v1', resource: 'nodes', name: 'node-1' }, { metadata: { labels: { a: 'b' } } }],
  ];
  return [
    ...patches.map(([what, ref, body]): Attempt => ({
      what: `patch ${what}`,
      run: async (cluster) => {
        await cluster.patch(ref, { type: 'merge', body: { ...body } }, { dryRun: 'All' });
        return 'done';
      },
    })),
    create('Operator in the own environment', {
      apiVersion: 'operatorcontroller.kubeplus/v1',
      kind: 'Operator',
      metadata: { name: 'attempt', namespace: ATTACKED },
      spec: { name: 'attempt', chart },
    }),
    create('Environment', { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name: 'attempt' }, spec: { groups } }),
    create('CatalogSource', {
      apiVersion: 'chandlery.dev/v1alpha1',
      kind: 'CatalogSource',
      metadata: { name: 'attempt' },
      spec: { folder: { path: '/' } },
    }),
    create('PersistentVolume with hostPath', {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'attempt' },
      spec: { capacity: { storage: '1' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/' } },
    }),
  ];
}

function create(what: string, object: KubeObject, own: readonly string[] = []): Attempt {
  return {
    what: `create ${what}`,
    own,
    run: async (cluster) => {
      await cluster.create(typeOf(object), object, { dryRun: 'All', fieldValidation: 'Ignore' });
      return 'done';
    },
  };
}

function review(right: ResourceAttributes, own: readonly string[] = []): Attempt {
  const { verb, group, resource, subresource, namespace } = right;
  const of = `${resource}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
  const where = namespace === undefined || namespace === ATTACKED ? '' : ` in ${namespace}`;
  return {
    what: `${verb} ${of}${right.name === undefined ? '' : ` "${right.name}"`}${where}`,
    own,
    run: async (cluster) => ((await cluster.review(right)).allowed ? 'done' : 'rejected'),
  };
}

/** By the plural that Kubernetes gives these kinds. */
export function typeOf({ apiVersion, kind }: KubeObject): ResourceType {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return { group: group ?? '', version: version ?? '', resource: `${kind.toLowerCase()}s` };
}
