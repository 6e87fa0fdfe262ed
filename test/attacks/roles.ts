import assert from 'node:assert/strict';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { EVERYBODY } from '../../src/domain/kubernetes/actor.ts';
import type { Cluster } from '../../src/domain/kubernetes/cluster.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { listAt, textAt } from '../../src/domain/core/read.ts';
import type { ServedKind } from '../../src/domain/kubernetes/resource.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { eventually } from '../support/eventually.ts';
import type { Attack } from './attack.ts';
import { ATTACKED, FOREIGN, GROUPS, type PersonName } from './people.ts';
import { attempts, type Attempt, typeOf, WORKLOADS } from './role-attempts.ts';
import type { Target } from './target.ts';

// A search over every verb on every kind that the cluster serves, and over what is special about some of them, as each role: what can its people cause that
// goes beyond what they may do?

export const ROLES = ['stranger', 'viewer', 'developer', 'maintainer'] as const;
type Role = (typeof ROLES)[number];

/** What a try came to: `rbac` and `policy` of the cluster, or Chandlery itself (`rejected`), did not let it through; `own` was let through, and is the role's; `BEYOND` was let through, and is not. */
type Outcome = 'rbac' | 'policy' | 'rejected' | 'own' | 'BEYOND';
interface Row {
  readonly what: string;
  readonly outcomes: Readonly<Record<Role, Outcome>>;
}

const VERBS = ['list', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const;
/** `<verb> <plural>.<group>` that a role may do in its environment, beside what it may do with the offered apps. docs/environment.md#roles tells the same. */
const CHANGED_BY_DEVELOPERS = [
  ...['configmaps', 'secrets', 'savedconfigurations.chandlery.dev'].flatMap((resource) =>
    ['create', 'update', 'patch', 'delete'].map((verb) => `${verb} ${resource}`),
  ),
  // Restart, suspend and run by hand; what else these verbs could do, policies reject.
  ...['daemonsets.apps', 'deployments.apps', 'statefulsets.apps', 'cronjobs.batch'].map((resource) => `patch ${resource}`),
];
/** Anybody in an environment may ask; what they may change of a request is the subject `change-requests`. */
const CHANGED_BY_MEMBERS = ['create', 'update', 'patch'].map((verb) => `${verb} changerequests.chandlery.dev`);
const OWN: Readonly<Record<Role, ReadonlySet<string>>> = {
  stranger: new Set(),
  viewer: new Set(CHANGED_BY_MEMBERS),
  developer: new Set([...CHANGED_BY_MEMBERS, ...CHANGED_BY_DEVELOPERS]),
  maintainer: new Set([
    ...CHANGED_BY_MEMBERS,
    ...CHANGED_BY_DEVELOPERS,
    'delete changerequests.chandlery.dev',
    'delete persistentvolumeclaims',
    'delete pods',
    'delete jobs.batch',
  ]),
};
/** What members of an environment may read outside of it: the classes to choose from. */
const CLASSES = /^list (storageclasses\.storage|ingressclasses\.networking|priorityclasses\.scheduling)\.k8s\.io$/;
/** What everybody who is signed in may ask about themselves. */
const ABOUT_ONESELF = /^create selfsubject(access|rules)?reviews\.(authorization|authentication)\.k8s\.io$/;
const SAMPLES = 'samples.chandlery.dev';

const rows: Row[] = [];

export const attacks: readonly Attack[] = [
  {
    title: 'each role changes kinds that are not its own: every verb on every kind that the cluster serves',
    run: async (target) => await withKube(target, async (kube) => record(await sweep(kube, await offeredApps(target)))),
  },
  {
    title: 'each role obtains a credential, a pod, a permission or an approval: special verbs, subresources and payloads',
    run: async (target) =>
      await withKube(target, async (kube) => {
        await makeWorkloads(kube);
        return record(await tryAll(kube));
      }),
  },
  {
    title: 'a custom resource of an offered app has a field by which its pods would run as somebody else, or reach the node',
    run: async (target) => await withKube(target, noFieldLeadsOut),
  },
  {
    title: 'the pods of an instance whose developer asked for a service account and privileges have neither',
    run: podsOfAnInstance,
  },
  {
    title: 'a developer pretends that Secrets and ConfigMaps are records of an Operator',
    run: forgedRecords,
  },
];

/** Who may do what, by kind: only lines that somebody may do, and those that a policy has rejected. */
export function report(): string {
  const reported = rows.filter(({ outcomes }) => Object.values(outcomes).some((outcome) => outcome !== 'rbac'));
  const line = (cells: readonly string[], what: string): string => `${cells.map((cell) => cell.padEnd(12)).join('')}${what}`;
  const lines = reported.map(({ what, outcomes }) => line(Object.values(outcomes), what));
  const tried = `${rows.length} verbs and payloads as ${ROLES.length} roles; RBAC rejected ${rows.length - reported.length} of them for everybody`;
  return ['', line(ROLES, 'what was tried'), ...lines, tried].join('\n');
}

function record(found: readonly Row[]): number {
  rows.push(...found);
  const beyond = found.filter(({ outcomes }) => Object.values(outcomes).includes('BEYOND'));
  assert.deepEqual(
    beyond.map(({ what, outcomes }) => `${what}: ${ROLES.filter((role) => outcomes[role] === 'BEYOND').join(', ')}`),
    [],
  );
  return found.length * ROLES.length;
}

async function withKube(target: Target, work: (kube: Kube) => Promise<number | undefined>): Promise<number | undefined> {
  const kube = openKube(target.kubeconfigPath, { userAgent: 'chandlery-attacks' });
  try {
    return await work(kube);
  } finally {
    await kube.close();
  }
}

function as(kube: Kube, person: PersonName): Cluster {
  return kube.asActor({ user: `oidc:${person}`, groups: [...GROUPS[person].map((group) => `oidc:${group}`), EVERYBODY] });
}

/** `<plural>.<group>` of what the catalogue offers: other attacks leave apps behind. */
async function offeredApps(target: Target): Promise<ReadonlySet<string>> {
  const { json } = await target.call('stranger', '/api/v1/apps?limit=100');
  const names = new Set(listAt(json, 'items').map((app) => textAt(app, 'id') ?? textAt(app, 'name') ?? ''));
  assert.ok(names.has(`caches.${SAMPLES}`), [...names].join(', '));
  return names;
}

/** Asks in the environment of the role, in one of others and without a namespace, each time the api-server itself. */
async function sweep(kube: Kube, apps: ReadonlySet<string>): Promise<Row[]> {
  const kinds = (await kube.kinds()).filter(({ verbs }) => verbs.length > 0);
  const found: Row[] = [];
  for (const kind of unique(kinds)) {
    for (const verb of VERBS) {
      const what = `${verb} ${kind.resource}${kind.group === '' ? '' : `.${kind.group}`}`;
      const outcomes = await forRoles(async (role) => {
        const places = kind.namespaced ? [ATTACKED, FOREIGN, 'kube-system', 'chandlery-system', undefined] : [undefined];
        const allowed = await Promise.all(places.map(async (namespace) => await may(as(kube, role), { verb, kind, namespace })));
        const [here, ...elsewhere] = allowed;
        if (elsewhere.some(Boolean)) return 'BEYOND';
        if (here !== true) return 'rbac';
        return isOwnElsewise(role, { verb, kind, apps }) || OWN[role].has(what) || ABOUT_ONESELF.test(what) ? 'own' : 'BEYOND';
      });
      found.push({ what, outcomes });
    }
  }
  return found;
}

/** Members read all but Secrets where they are members, and developers write the instances of apps. */
function isOwnElsewise(
  role: Role,
  { verb, kind, apps }: Pick<AccessQuery, 'verb' | 'kind'> & { readonly apps: ReadonlySet<string> },
): boolean {
  const writes = role === 'developer' || role === 'maintainer';
  if (verb !== 'list') return writes && apps.has(`${kind.resource}.${kind.group}`) && verb !== 'deletecollection';
  const isSecret = kind.resource === 'secrets' && kind.group === '';
  return role !== 'stranger' && (kind.namespaced ? !isSecret || writes : CLASSES.test(`list ${kind.resource}.${kind.group}`));
}

function unique(kinds: readonly ServedKind[]): ServedKind[] {
  return [...new Map(kinds.map((kind) => [`${kind.resource}.${kind.group}`, kind])).values()];
}

interface AccessQuery {
  readonly verb: string;
  readonly kind: ServedKind;
  readonly namespace: string | undefined;
}

async function may(cluster: Cluster, { verb, kind, namespace }: AccessQuery): Promise<boolean> {
  const { group, resource } = kind;
  return (await cluster.review({ verb, group, resource, ...(namespace === undefined ? {} : { namespace }) })).allowed;
}

/** What developers restart, suspend and run, for the attempts to make more of it. */
async function makeWorkloads(kube: Kube): Promise<void> {
  for (const object of WORKLOADS) {
    const made = kube.asController().create(typeOf(object), object);
    await made.catch((error: unknown) => assert.ok(isAppError(error, 'AlreadyExists'), String(error)));
  }
}

async function tryAll(kube: Kube): Promise<Row[]> {
  const found: Row[] = [];
  for (const attempt of attempts()) {
    found.push({ what: attempt.what, outcomes: await forRoles(async (role) => await tryOne(as(kube, role), attempt, role)) });
  }
  return found;
}

async function tryOne(cluster: Cluster, { own, run }: Attempt, role: Role): Promise<Outcome> {
  try {
    const answer = await run(cluster);
    if (answer === 'rejected') return 'rbac';
  } catch (error) {
    if (isAppError(error, 'AdmissionDenied')) return 'policy';
    if (isAppError(error, 'Forbidden')) return 'rbac';
    // RBAC comes before everything that looks at the object itself.
    if (!isAppError(error)) throw error;
  }
  return own?.includes(role) === true ? 'own' : 'BEYOND';
}

async function forRoles(outcome: (role: Role) => Promise<Outcome>): Promise<Record<Role, Outcome>> {
  const pairs = await Promise.all(ROLES.map(async (role) => [role, await outcome(role)] as const));
  return Object.fromEntries(pairs) as Record<Role, Outcome>;
}

/** An instance in each environment; tells which they are and what their specs are. */
const LEADS_OUT =
  /serviceaccount|securitycontext|hostpath|hostnetwork|hostpid|hostipc|privileged|podtemplate|podspec|nodename|^(image|command|args|volumes|initcontainers|sidecars|containers)$/i;

/** The kinds of the example catalogue have none; an app that has one needs a look at what its operator makes of it. */
async function noFieldLeadsOut(kube: Kube): Promise<number> {
  const type = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
  const { items } = await kube.asController().list(type);
  const ours = items.filter(({ spec }) => textAt(spec, 'group') === SAMPLES);
  assert.ok(ours.length >= 2);
  const found = ours.flatMap((crd) =>
    listAt(crd.spec, 'versions').flatMap((version) => fieldsIn(version).map((field) => `${crd.metadata.name} ${field}`)),
  );
  assert.deepEqual(
    found.filter((field) => LEADS_OUT.test(field.split('.').at(-1) ?? '')),
    [],
  );
  return found.length;
}

function fieldsIn(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key !== 'properties' || typeof value !== 'object' || value === null) return fieldsIn(value, path);
    return Object.entries(value).flatMap(([name, child]) => [`${path}.${name}`, ...fieldsIn(child, `${path}.${name}`)]);
  });
}

async function podsOfAnInstance(target: Target): Promise<number> {
  const wish = {
    serviceAccountName: 'chandlery-deployer',
    securityContext: { privileged: true },
    hostNetwork: true,
    podTemplate: { spec: {} },
  };
  const cache = (name: string, spec: object): string => {
    return stringifyJson({ apiVersion: `${SAMPLES}/v1alpha1`, kind: 'Cache', metadata: { name, namespace: ATTACKED }, spec });
  };
  const strict = await target.kubectl('developer', ['apply', '-f', '-'], cache('wishes', { replicas: 1, ...wish }));
  assert.match(strict.stderr, /unknown field/);
  const loose = await target.kubectl('developer', ['apply', '--validate=false', '-f', '-'], cache('wishes', { replicas: 1, ...wish }));
  assert.equal(loose.exitCode, 0, loose.stderr);
  const spec = ['get', 'statefulset', '-n', ATTACKED, '-o', 'jsonpath={range .items[*]}{.metadata.name} {.spec.template.spec}{"\\n"}{end}'];
  const made = await eventually(
    async () => (await target.kubectl('root', spec)).stdout.split('\n').find((line) => line.startsWith('wishes')),
    'the operator makes the instance',
    60,
  );
  assert.doesNotMatch(made, /"serviceAccountName":"(?!default)|"privileged":true|"hostNetwork":true|hostPath/);
  assert.match(made, /"automountServiceAccountToken":false/);
  await target.kubectl('developer', ['delete', '-n', ATTACKED, `caches.${SAMPLES}`, 'wishes']);
  return 2;
}

/** By the labels that the controller goes by in namespaces of its own. */
async function forgedRecords(target: Target): Promise<number> {
  const labels = {
    owner: 'helm',
    name: 'cache-operator',
    status: 'deployed',
    version: '99',
    'chandlery.dev/operator': 'chandlery-system.cache',
  };
  const metadata = (name: string): object => ({ name, namespace: ATTACKED, labels: { ...labels, 'chandlery.dev/source': 'catalog' } });
  const items = [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadata('sh.helm.release.v1.cache-operator.v99'),
      type: 'helm.sh/release.v1',
      stringData: { release: 'x' },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('cache-operator'), data: {} },
  ];
  const status = ['get', 'operator', 'cache', '-n', 'chandlery-system', '-o', 'jsonpath={.status.release}{.status.status}'];
  const before = (await target.kubectl('root', status)).stdout;
  const made = await target.kubectl('developer', ['apply', '-f', '-'], stringifyJson({ apiVersion: 'v1', kind: 'List', items }));
  assert.match(made.stderr, /release records of Helm in an Environment are written by the service account chandlery-deployer/);
  assert.equal(made.stdout, 'configmap/cache-operator created');
  // What the controller puts right shows that it has looked.
  const role = ['clusterrole', `chandlery-app-caches.${SAMPLES}-view`];
  await target.kubectl('root', ['delete', ...role]);
  await eventually(async () => (await target.kubectl('root', ['get', ...role])).exitCode === 0, 'the Operator is reconciled', 40);
  assert.equal((await target.kubectl('root', status)).stdout, before);
  const left = await target.kubectl('developer', ['delete', '-n', ATTACKED, 'configmap/cache-operator']);
  assert.equal(left.exitCode, 0, left.stderr);
  return items.length;
}
