import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OPERATOR } from '../../src/domain/kubernetes/resource-types.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { type OperatorStatus, parseOperatorStatus } from '../../src/domain/operator/operator-status.ts';
import type { KubeObject, ResourceRef, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { packChart } from '../support/charts.ts';
import { CONFIG_MAP, kindsOf, operatorChart } from '../support/operator-charts.ts';

/** An Operator that a fault run makes, changes and deletes. */
export interface Subject {
  readonly namespace: string;
  readonly name: string;
}

export const CONFIG_MAPS: ResourceType = { group: '', version: 'v1', resource: 'configmaps' };
export const DEPLOYMENTS: ResourceType = { group: 'apps', version: 'v1', resource: 'deployments' };

/** Versions of every subject's chart: two good ones, and one whose objects the api-server rejects. */
export const VERSIONS = { first: '1.0.0', second: '2.0.0', broken: '3.0.0' } as const;
export type Version = (typeof VERSIONS)[keyof typeof VERSIONS];

/** The packed chart: a kind in `crds/`, one in a template, a Deployment, and a ConfigMap that names the version. */
export async function chartOf({ name }: Subject, version: Version): Promise<Buffer> {
  const broken = version === VERSIONS.broken ? { 'templates/zz-broken.yaml': BROKEN } : {};
  return packChart(name, { ...operatorChart(name, version), 'templates/config.yaml': configOf(version), ...broken });
}

export function configOf(version: Version): string {
  return `${CONFIG_MAP}data: {version: "${version}", word: "{{ .Values.word }}"}\n`;
}

/** The api-server rejects it after Helm has applied the other objects. */
export const BROKEN = 'apiVersion: v1\nkind: Service\nmetadata: {name: "{{ .Release.Name }}"}\nspec: {ports: [{port: 99999}]}\n';

export async function writeCharts(chartsDir: string, subject: Subject): Promise<void> {
  for (const version of Object.values(VERSIONS)) {
    await writeFile(join(chartsDir, `${subject.name}-${version}.tgz`), await chartOf(subject, version));
  }
}

export function operatorRef({ namespace, name }: Subject): ResourceRef {
  return { ...OPERATOR, namespace, name };
}

export async function createOperator(kube: Kube, subject: Subject, spec: object): Promise<void> {
  const { namespace, name } = subject;
  const chart = { repoURL: 'file://samples', name, version: VERSIONS.first };
  await kube.asController().create(OPERATOR, {
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    metadata: { namespace, name },
    spec: { name, chart, values: { word: VERSIONS.first }, interval: '10s', ...spec },
  });
}

/** Asks for a version, and for more of the spec to be so. */
export async function askFor(kube: Kube, subject: Subject, version: Version, spec: object = {}): Promise<void> {
  const body = { spec: { chart: { version }, values: { word: version }, ...spec } };
  await kube.asController().patch(operatorRef(subject), { type: 'merge', body });
}

export async function readOperator(kube: Kube, subject: Subject): Promise<KubeObject | undefined> {
  return find(kube, operatorRef(subject));
}

export async function statusOf(kube: Kube, subject: Subject): Promise<OperatorStatus> {
  return parseOperatorStatus(await kube.asController().get(operatorRef(subject)));
}

/** The names of the subject's CRDs. */
export function definitionsOf({ name }: Subject): readonly string[] {
  const { plural, group } = kindsOf(name);
  return [`parts.${group}`, `${plural}.${group}`].sort();
}

export function instanceType({ name }: Subject): ResourceType {
  const { group, plural } = kindsOf(name);
  return { group, version: 'v1', resource: plural };
}

export function instanceRef(subject: Subject): ResourceRef {
  return { ...instanceType(subject), namespace: subject.namespace, name: 'precious' };
}

/** Makes an instance with data that must not be lost, and gives it as it is stored. */
export async function createInstance(kube: Kube, subject: Subject, word: string): Promise<KubeObject> {
  const { kind, group } = kindsOf(subject.name);
  const { object } = await kube.asController().create(instanceType(subject), {
    apiVersion: `${group}/v1`,
    kind,
    metadata: { namespace: subject.namespace, name: 'precious' },
    spec: { word, list: [1, 2, 3] },
  });
  return object;
}

/** The object, or undefined when there is none. */
export async function find(kube: Kube, ref: ResourceRef): Promise<KubeObject | undefined> {
  try {
    return await kube.asController().get(ref);
  } catch (error) {
    if (isAppError(error, 'NotFound')) return undefined;
    throw error;
  }
}
