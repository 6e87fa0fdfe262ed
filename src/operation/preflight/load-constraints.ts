import pMap from 'p-map';
import { isAppError } from '../../domain/core/errors.ts';
import { isObject } from '../../domain/core/read.ts';
import { type Cluster, ifFound } from '../../domain/kubernetes/cluster.ts';
import {
  INGRESS_CLASS,
  LIMIT_RANGE,
  NAMESPACE,
  PRIORITY_CLASS,
  RESOURCE_QUOTA,
  RUNTIME_CLASS,
  STORAGE_CLASS,
} from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject, ResourceType } from '../../domain/kubernetes/resource.ts';
import type { Finding, FindingSubject } from '../../domain/preflight/findings.ts';
import type { PodEvidence } from '../../domain/preflight/pod-security.ts';

/** A cluster-wide class that a field names. */
interface NamedClass {
  readonly field: string;
  readonly kind: 'StorageClass' | 'PriorityClass' | 'IngressClass' | 'RuntimeClass';
  readonly name: string;
}

const FIELDS: Readonly<Record<string, NamedClass['kind']>> = {
  storageClassName: 'StorageClass',
  storageClass: 'StorageClass',
  priorityClassName: 'PriorityClass',
  ingressClassName: 'IngressClass',
  runtimeClassName: 'RuntimeClass',
};
const DEEPEST = 24;
const MAX_ITEMS = 20;
const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** What stands around an instance and decides about its pods and volumes, as far as the actor may read it; read anew each time. */
export interface NamespaceConstraints {
  readonly quotas: readonly KubeObject[];
  readonly limitRanges: readonly KubeObject[];
  /** Absent when the actor may not read it. */
  readonly namespace?: KubeObject;
  /** Classes that the spec names and that are not there. */
  readonly missingClasses: readonly Finding[];
  /** What could not be read. */
  readonly unchecked: readonly Finding[];
  readonly pods: PodEvidence;
}

interface ConstraintsInput {
  readonly namespace: string;
  readonly spec: unknown;
  /** Asked only where something may reject pods. */
  readonly pods: () => Promise<PodEvidence>;
}

const CLASSES: Readonly<Record<NamedClass['kind'], ResourceType>> = {
  StorageClass: STORAGE_CLASS,
  PriorityClass: PRIORITY_CLASS,
  IngressClass: INGRESS_CLASS,
  RuntimeClass: RUNTIME_CLASS,
};

/** Reads it in one go, at most eight calls at a time, and then asks about pods. */
export async function loadConstraints(
  cluster: Pick<Cluster, 'get' | 'list'>,
  { namespace, spec, pods: askAboutPods }: ConstraintsInput,
): Promise<NamespaceConstraints> {
  const [quotas, limitRanges, own, classes] = await Promise.all([
    attempt(async () => (await cluster.list(RESOURCE_QUOTA, { namespace })).items, `The quotas of ${namespace} were not compared`, 'Quota'),
    attempt(
      async () => (await cluster.list(LIMIT_RANGE, { namespace })).items,
      `The limit ranges of ${namespace} were not compared`,
      'LimitRange',
    ),
    attempt(
      async () => await cluster.get({ ...NAMESPACE, name: namespace }),
      `The Pod Security level of ${namespace} is unknown`,
      'PodSecurity',
    ),
    pMap(namedClasses(spec), async (named) => await findClass(cluster, named), { concurrency: 4 }),
  ]);
  const enforces = own.found?.metadata.labels?.['pod-security.kubernetes.io/enforce'] !== undefined;
  const rejects = enforces || [quotas, limitRanges].some(({ found = [] }) => found.length > 0);
  return {
    pods: rejects ? await askAboutPods() : { kind: 'None' },
    quotas: quotas.found ?? [],
    limitRanges: limitRanges.found ?? [],
    ...(own.found === undefined ? {} : { namespace: own.found }),
    missingClasses: classes.flatMap(({ found }) => found ?? []),
    unchecked: [quotas, limitRanges, own, ...classes].flatMap(({ unchecked }) => unchecked),
  };
}

interface Read<T> {
  readonly found?: T;
  readonly unchecked: readonly Finding[];
}

/** What cannot be read is left out and named: it is no reason to stop, because the dry run has the last word. */
async function attempt<T>(read: () => Promise<T>, otherwise: string, subject: FindingSubject): Promise<Read<T>> {
  try {
    return { found: await read(), unchecked: [] };
  } catch (error) {
    if (!isAppError(error)) throw error;
    const why = error.code === 'Forbidden' ? 'you may not read them there' : error.message;
    return { unchecked: [{ message: `${otherwise}: ${why}`, subject, evidence: 'exact' }] };
  }
}

async function findClass(cluster: Pick<Cluster, 'get'>, { field, kind, name }: NamedClass): Promise<Read<readonly Finding[]>> {
  const message = `${field}: there is no ${kind} ${JSON.stringify(name)} in the cluster; resources that need it will wait for it`;
  const missing: Finding = { message, subject: 'Class', evidence: 'exact', field };
  return await attempt(
    async () => ((await ifFound(cluster.get({ ...CLASSES[kind], name }))) === undefined ? [missing] : []),
    `${field}: whether the ${kind} ${JSON.stringify(name)} exists is unknown`,
    'Class',
  );
}

/** The classes that a spec names by the usual fields, each once; parts that are switched off are left out. */
function namedClasses(spec: unknown): NamedClass[] {
  const found = classesIn(spec, ['spec']);
  return [...new Map(found.map((one) => [`${one.kind} ${one.name}`, one])).values()].slice(0, MAX_ITEMS);
}

function classesIn(value: unknown, path: readonly string[]): NamedClass[] {
  if (path.length > DEEPEST) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => classesIn(item, [...path.slice(0, -1), `${path.at(-1) ?? ''}[${index}]`]));
  }
  if (!isObject(value) || value['enabled'] === false) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const kind = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
    const named = kind !== undefined && typeof member === 'string' && member.length <= 253 && NAME.test(member);
    return named ? [{ field: [...path, key].join('.'), kind, name: member }] : classesIn(member, [...path, key]);
  });
}
