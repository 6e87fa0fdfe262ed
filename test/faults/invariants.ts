import { isDeepStrictEqual } from 'node:util';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { CLUSTER_ROLE, CRD, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { OURS } from '../../src/domain/kubernetes/names.ts';
import { type OperatorStatus, parseOperatorStatus } from '../../src/domain/operator/operator-status.ts';
import { numberAt, textAt } from '../../src/domain/core/read.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { CONFIG_MAPS, definitionsOf, DEPLOYMENTS, find, instanceRef, readOperator, type Subject, type Version } from './subject.ts';

export const LEASES: ResourceType = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };

/** What must outlive every act but a cascade, as it was seen before. */
export interface Keepsake {
  readonly definitions: Readonly<Record<string, string>>;
  readonly instance?: KubeObject;
}

/** The uids of the subject's CRDs, and its instance. */
export async function keep(kube: Kube, subject: Subject, instance?: KubeObject): Promise<Keepsake> {
  const found = await Promise.all(definitionsOf(subject).map((name) => find(kube, { ...CRD, name })));
  const definitions = Object.fromEntries(
    found.flatMap((object) => (object === undefined ? [] : [[object.metadata.name, object.metadata.uid ?? '']])),
  );
  return { definitions, ...(instance === undefined ? {} : { instance }) };
}

export interface Wanted {
  /** What runs. */
  readonly version: Version;
  readonly keepsake: Keepsake;
  /** Whether it is what was asked for, or what came back after a failure. */
  readonly outcome: 'Ready' | 'RolledBack';
}

/** Sentences about what is wrong with an Operator that should be at a version; none when all is well. */
export async function faultsOfInstalled(kube: Kube, subject: Subject, wanted: Wanted): Promise<string[]> {
  const { version, keepsake, outcome } = wanted;
  const operator = await readOperator(kube, subject);
  if (operator === undefined) return ['the Operator is gone'];
  return [
    ...(outcome === 'Ready' ? faultsOfStatus(operator, version) : faultsOfRolledBack(operator)),
    ...(await faultsOfRelease(kube, subject, parseOperatorStatus(operator).release)),
    ...(await faultsOfObjects(kube, subject, version)),
    ...(await faultsOfKept(kube, subject, keepsake)),
    ...(await faultsOfDefinitions(kube, subject, `${subject.namespace}.${subject.name}`)),
    ...(await faultsOfLeases(kube, subject)),
  ];
}

export type Gone = 'Block' | 'Cascade' | 'Orphan';

/** The same for an Operator that was deleted under a policy. */
export async function faultsOfDeleted(
  kube: Kube,
  subject: Subject,
  { policy, keepsake }: { policy: Gone; keepsake: Keepsake },
): Promise<string[]> {
  const faults: string[] = [];
  const { namespace, name } = subject;
  const records = await recordsOf(kube, subject);
  if (policy !== 'Orphan' && records.length > 0) faults.push(`release records are left: ${records.map(describe).join(', ')}`);
  for (const [kind, type] of [
    ['Deployment', DEPLOYMENTS],
    ['ConfigMap', CONFIG_MAPS],
  ] as const) {
    const there = (await find(kube, { ...type, namespace, name })) !== undefined;
    if (there !== (policy === 'Orphan')) faults.push(`${kind} ${name} is ${there ? 'left' : 'gone'} although the policy was ${policy}`);
  }
  if (policy === 'Cascade') {
    for (const definition of definitionsOf(subject)) {
      if ((await find(kube, { ...CRD, name: definition })) !== undefined) faults.push(`definition ${definition} is left after a cascade`);
    }
  } else {
    faults.push(...(await faultsOfKept(kube, subject, keepsake)), ...(await faultsOfDefinitions(kube, subject, undefined)));
  }
  const roles = (await kube.asController().list(CLUSTER_ROLE, { labelSelector: `${OURS.operatorLabel}=${namespace}.${name}` })).items;
  if (roles.length > 0) faults.push(`roles are left: ${roles.map(({ metadata }) => metadata.name).join(', ')}`);
  return [...faults, ...(await faultsOfLeases(kube, subject))];
}

function faultsOfStatus(operator: KubeObject, version: Version): string[] {
  const status = parseOperatorStatus(operator);
  const faults: string[] = [];
  const expect = (what: string, actual: unknown, expected: unknown): void => {
    if (!isDeepStrictEqual(actual, expected)) faults.push(`${what} is ${stringifyJson(actual)}, not ${stringifyJson(expected)}`);
  };
  expect('the list of finalizers', operator.metadata.finalizers ?? [], [OURS.finalizer]);
  expect('status.observedGeneration', status.observedGeneration, operator.metadata.generation);
  expect('status.chart.version', status.chart?.version, version);
  expect('status.failures', status.failures, 0);
  for (const type of ['Fetched', 'Uplifted', 'Released', 'CRDsEstablished', 'Healthy', 'Ready']) {
    expect(`condition ${type}`, findCondition(status.conditions, type)?.status, 'True');
  }
  for (const type of ['Reconciling', 'Stalled']) expect(`condition ${type}`, findCondition(status.conditions, type)?.status, undefined);
  return faults;
}

function faultsOfRolledBack(operator: KubeObject): string[] {
  const { conditions, failures } = parseOperatorStatus(operator);
  const { finalizers = [] } = operator.metadata;
  const faults: string[] = [];
  if (!isDeepStrictEqual(finalizers, [OURS.finalizer])) faults.push(`the finalizers are ${finalizers.join(', ')}`);
  if (findCondition(conditions, 'Stalled')?.reason !== 'RolledBack')
    faults.push('it does not say that it stalls because it was rolled back');
  if (findCondition(conditions, 'Reconciling') !== undefined) faults.push('it says that it goes on');
  if (failures !== 0) faults.push(`it counts ${failures} failures`);
  return faults;
}

/** Of the records of a release, and of what a status says of it. */
export async function faultsOfRelease(kube: Kube, subject: Subject, release: OperatorStatus['release']): Promise<string[]> {
  const faults: string[] = [];
  const records = await recordsOf(kube, subject);
  const revisions = records.map(({ revision }) => revision);
  const newest = records.at(-1);
  const story = records.map(describe).join(', ');
  if (records.filter(({ status }) => status === 'deployed').length !== 1) faults.push(`not exactly one revision is deployed: ${story}`);
  if (newest?.status !== 'deployed') faults.push(`the newest revision is not deployed: ${story}`);
  // Helm has no word for a revision whose helm was killed: once another has followed, `pending` is history and locks nothing.
  if (newest?.status.startsWith('pending') === true || records.some(({ status }) => status === 'uninstalling')) {
    faults.push(`the release is locked: ${story}`);
  }
  if (revisions.some((revision, index) => index > 0 && revision !== (revisions[index - 1] ?? 0) + 1)) {
    faults.push(`the revisions are not in a row: ${story}`);
  }
  if (release?.revision !== newest?.revision || release?.status !== newest?.status) {
    faults.push(`the status names revision ${release?.revision ?? 0} ${release?.status ?? ''}, the records ${story}`);
  }
  return faults;
}

/** What a dead worker's helm might have changed behind the back of its successor. */
export async function faultsOfObjects(kube: Kube, { namespace, name }: Subject, version: Version): Promise<string[]> {
  const config = await find(kube, { ...CONFIG_MAPS, namespace, name });
  const deployment = await find(kube, { ...DEPLOYMENTS, namespace, name });
  const faults: string[] = [];
  const found = `${textAt(config, 'data', 'version') ?? 'none'}/${textAt(config, 'data', 'word') ?? 'none'}`;
  if (found !== `${version}/${version}`) faults.push(`ConfigMap ${name} is of version ${found}, not ${version}/${version}`);
  if (deployment === undefined) faults.push(`Deployment ${name} is gone`);
  const [ready, replicas] = [numberAt(deployment, 'status', 'readyReplicas') ?? 0, numberAt(deployment, 'spec', 'replicas')];
  if (deployment !== undefined && ready !== replicas) faults.push(`Deployment ${name} has ${ready} of ${replicas ?? 'no'} pods ready`);
  return faults;
}

async function faultsOfKept(kube: Kube, subject: Subject, { definitions, instance }: Keepsake): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, uid] of Object.entries(definitions)) {
    const found = await find(kube, { ...CRD, name });
    if (found?.metadata.uid !== uid) faults.push(`definition ${name} was lost: uid ${uid} became ${found?.metadata.uid ?? 'none'}`);
  }
  if (instance === undefined) return faults;
  const found = await find(kube, instanceRef(subject));
  if (found?.metadata.uid !== instance.metadata.uid) faults.push(`the instance was lost: ${found?.metadata.uid ?? 'none'}`);
  else if (!isDeepStrictEqual(found?.spec, instance.spec)) faults.push(`the instance has other data: ${stringifyJson(found?.spec)}`);
  return faults;
}

async function faultsOfDefinitions(kube: Kube, subject: Subject, owner: string | undefined): Promise<string[]> {
  const faults: string[] = [];
  for (const name of definitionsOf(subject)) {
    const found = await find(kube, { ...CRD, name });
    if (found === undefined) faults.push(`definition ${name} is missing`);
    else if (found.metadata.labels?.[OURS.operatorLabel] !== owner) {
      faults.push(`definition ${name} belongs to ${found.metadata.labels?.[OURS.operatorLabel] ?? 'nobody'}, not ${owner ?? 'nobody'}`);
    }
  }
  return faults;
}

export async function faultsOfLeases(kube: Kube, { namespace, name }: Subject): Promise<string[]> {
  const lease = await find(kube, { ...LEASES, namespace: OURS.systemNamespace, name: `release.${namespace}.${name}` });
  return lease === undefined ? [] : [`the lease of the release is left, held by ${textAt(lease.spec, 'holderIdentity') ?? 'nobody'}`];
}

interface ReleaseRecord {
  readonly revision: number;
  readonly status: string;
}

/** The revisions of the release, the oldest first. */
export async function recordsOf(kube: Kube, { namespace, name }: Subject): Promise<ReleaseRecord[]> {
  const { items } = await kube.asController().listMetadata(SECRET, { namespace, labelSelector: `owner=helm,name=${name}` });
  return items
    .map(({ metadata: { labels = {} } }) => ({ revision: Number(labels['version'] ?? 0), status: labels['status'] ?? '' }))
    .sort((a, b) => a.revision - b.revision);
}

export function describe({ revision, status }: ReleaseRecord): string {
  return `${revision} ${status}`;
}

/** All that helps to understand what happened to an Operator. */
export async function evidenceOf(kube: Kube, subject: Subject): Promise<string> {
  const operator = await readOperator(kube, subject);
  const status = operator === undefined ? undefined : parseOperatorStatus(operator);
  const events = (await kube.asController().list({ group: '', version: 'v1', resource: 'events' }, { namespace: subject.namespace })).items;
  const about = events.filter((event) => textAt(event, 'involvedObject', 'name') === subject.name);
  return [
    `  spec       ${stringifyJson(operator?.spec ?? 'gone')}`,
    `  status     ${JSON.stringify(status === undefined ? 'gone' : { ...status, conditions: undefined, values: undefined })}`,
    ...(status?.conditions ?? []).map(({ type, status: word, reason, message }) => `  condition  ${type}=${word} ${reason}: ${message}`),
    `  records    ${(await recordsOf(kube, subject)).map(describe).join(', ')}`,
    ...about.map(
      (event) => `  event      ${textAt(event, 'reason') ?? ''} x${numberAt(event, 'count') ?? 1}: ${textAt(event, 'message') ?? ''}`,
    ),
  ].join('\n');
}
