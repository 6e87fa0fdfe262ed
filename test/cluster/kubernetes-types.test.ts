import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { at, isObject, listAt, textAt, textsAt } from '../../src/domain/core/read.ts';
import { BUILT_IN_NAMES } from '../../src/domain/kubernetes/built-in-names.ts';
import { fieldTypes } from '../../src/schema/hints/kubernetes-types.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';

const DOCUMENTS = [
  'api/v1',
  ...['apps', 'batch', 'networking.k8s.io', 'policy', 'rbac.authorization.k8s.io', 'storage.k8s.io', 'scheduling.k8s.io'].map(
    (group) => `apis/${group}/v1`,
  ),
  'apis/autoscaling/v2',
  'apis/admissionregistration.k8s.io/v1',
];
const KINDS = (
  'Pod Deployment StatefulSet DaemonSet Job CronJob PersistentVolumeClaim Service ServiceAccount ConfigMap Secret Namespace ResourceQuota Ingress IngressClass NetworkPolicy ' +
  'PodDisruptionBudget HorizontalPodAutoscaler Role ClusterRole RoleBinding ClusterRoleBinding StorageClass PriorityClass MutatingWebhookConfiguration ValidatingWebhookConfiguration'
).split(' ');
const SCALARS: Readonly<Record<string, readonly string[]>> = {
  text: ['string'],
  bool: ['boolean'],
  int: ['integer'],
  port: ['integer'],
  intstr: ['IntOrString'],
  amount: ['Quantity'],
};

describe('the table of types of Kubernetes', () => {
  let cluster: TestCluster;

  before(async () => {
    cluster = await sharedCluster();
  });
  after(() => cluster.stop());

  it('has types and fields as an api-server has them', async () => {
    const known = await readTypes(cluster);
    const wrong = typesFrom(KINDS).flatMap((type) =>
      fieldTypes(type).flatMap(([field, said]) => {
        const schema = at(known.get(type), 'properties', field);
        const found = typeOf(schema);
        return fits(said, found) ? [] : [`${type}.${field}: ${said} is ${found}`];
      }),
    );
    assert.deepEqual(wrong, []);
    assert.deepEqual(
      KINDS.filter((kind) => fieldTypes(kind).length === 0),
      [],
    );
  });

  it('has all names by which kubectl finds the resources of an api-server', async () => {
    const known = new Set(BUILT_IN_NAMES.flatMap(({ plural, kind, shortNames }) => [`${kind} ${plural}`, ...shortNames]));
    const served = await readServedNames(cluster);
    assert.deepEqual(
      served.filter((name) => !known.has(name)),
      [],
    );
    assert.ok(served.includes('Pod pods') && served.includes('sts'));
  });
});

/** `Kind plural`, and the short names, of what an api-server serves without CRDs. */
async function readServedNames({ kubeconfigPath, tools: { kubectl = 'kubectl' } }: TestCluster): Promise<readonly string[]> {
  const get = async (path: string): Promise<unknown> =>
    JSON.parse((await promisify(execFile)(kubectl, ['--kubeconfig', kubeconfigPath, 'get', '--raw', path])).stdout);
  const groups = listAt(await get('/apis'), 'groups').flatMap((group) => textAt(group, 'preferredVersion', 'groupVersion') ?? []);
  const own = groups.filter((version) => /^([a-z]+|[\w.]+\.k8s\.io)\//.test(version) && !version.startsWith('gateway.'));
  const lists = await Promise.all(['/api/v1', ...own.map((version) => `/apis/${version}`)].map(get));
  return lists
    .flatMap((list) => listAt(list, 'resources'))
    .filter((resource) => textAt(resource, 'name')?.includes('/') === false)
    .flatMap((resource) => [`${textAt(resource, 'kind') ?? ''} ${textAt(resource, 'name') ?? ''}`, ...textsAt(resource, 'shortNames')]);
}

/** Types and all that their fields have. */
function typesFrom(kinds: readonly string[]): readonly string[] {
  const all = new Set(kinds);
  for (const type of all) for (const [, field] of fieldTypes(type)) all.add(field.replace(/[[\]{}]+$/, ''));
  return [...all];
}

/** The types that the api-server describes, by the last part of their names. */
async function readTypes({ kubeconfigPath, tools }: TestCluster): Promise<ReadonlyMap<string, unknown>> {
  const { kubectl = 'kubectl' } = tools;
  const documents = await Promise.all(
    DOCUMENTS.map(async (path) => {
      const { stdout } = await promisify(execFile)(kubectl, ['--kubeconfig', kubeconfigPath, 'get', '--raw', `/openapi/v3/${path}`], {
        maxBuffer: 64 * 1024 * 1024,
      });
      return Object.entries(at(JSON.parse(stdout), 'components', 'schemas') as object);
    }),
  );
  return new Map(documents.flat().map(([name, schema]) => [name.split('.').at(-1) ?? '', schema]));
}

/** A type as the table writes it: `Toleration[]`, `string{}`. */
function typeOf(schema: unknown): string {
  if (!isObject(schema)) return 'nothing';
  const [only] = Array.isArray(schema['allOf']) ? (schema['allOf'] as unknown[]) : [schema];
  const ref = at(only, '$ref');
  if (typeof ref === 'string') return ref.split('.').at(-1) ?? '';
  if (schema['type'] === 'array') return `${typeOf(schema['items'])}[]`;
  if (isObject(schema['additionalProperties'])) return `${typeOf(schema['additionalProperties'])}{}`;
  return String(schema['type']);
}

function fits(said: string, found: string): boolean {
  const [, name = '', rows = ''] = /^(\w+)((?:\[\]|\{\})*)$/.exec(said) ?? [];
  return (SCALARS[name] ?? [name]).some((one) => `${one}${rows}` === found);
}
