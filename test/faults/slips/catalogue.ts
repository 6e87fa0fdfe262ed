import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { OURS } from '../../../src/domain/kubernetes/names.ts';
import { apiVersionOf, type KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { type KnownType, PERSISTENT_VOLUME_CLAIM } from '../../../src/domain/kubernetes/resource-types.ts';
import { chartFiles, deploymentTemplate, packChart } from '../../support/charts.ts';
import { kindsOf } from '../../support/operator-charts.ts';
import { offerChart } from '../../support/offer-chart.ts';

/** The sources of the game, by what their content is in. */
export const SOURCES = { folder: 'slips-folder', mount: 'slips-mount', git: 'slips-git' } as const;
export type SourceKey = keyof typeof SOURCES;
export type Files = Readonly<Record<string, string>>;

const OPERATORS: Readonly<Record<string, string>> = { anchor: 'shop', buoy: 'cove', winch: 'pier' };
const APPS: Readonly<Record<string, string>> = { lamp: 'shop', sail: 'cove', rope: 'pier' };
/** Environments whose people have work in them. */
export const ENVIRONMENTS = ['shop', 'bay', 'dock', 'cove', 'reef', 'pier', 'quay'] as const;
/** Environments without anything in them: a removal needs no approval. */
export const EMPTY_ENVIRONMENTS = ['attic', 'cellar'] as const;
/** Operators and AppDefinitions: each has an instance. */
export const OPERATOR_NAMES = Object.keys(OPERATORS);
export const APP_NAMES = Object.keys(APPS);
export const PEOPLE = [
  { user: 'oidc:dev', groups: ['oidc:team-a'] },
  { user: 'oidc:guest', groups: ['oidc:team-b'] },
  { user: 'oidc:ada', groups: [] },
  { user: 'oidc:zoe', groups: [] },
  { user: 'oidc:stranger', groups: ['oidc:team-c'] },
] as const;

/** Every file of each source, as it is while nobody makes a slip. In flow style, so that half a file is no document. */
export const CONTENT: Readonly<Record<SourceKey, Files>> = {
  folder: {
    'environments/shop.yaml': environment('shop'),
    'environments/both.yaml': `${environment('bay')}---\n${environment('dock')}`,
    'environments/attic.yaml': environment('attic'),
    'operators/anchor.yaml': operator('anchor'),
    'apps/lamp.yaml': app('lamp'),
  },
  mount: {
    'cove.yaml': environment('cove'),
    'reef.yaml': environment('reef'),
    'buoy.yaml': operator('buoy'),
    'sail.yaml': app('sail'),
  },
  git: {
    'environments/pier.yaml': environment('pier'),
    'environments/quay.yaml': environment('quay'),
    'environments/cellar.yaml': environment('cellar'),
    'operators/winch.yaml': operator('winch'),
    'apps/rope.yaml': app('rope'),
    'claims/logs.yaml': `${stringifyJson(claim('pier', 'logs'))}\n`,
  },
};

/** An Environment that has the namespace `space`, under any name. */
export function environment(name: string, space = name): string {
  const groups = '[{name: "oidc:team-a", role: developer}, {name: "oidc:team-b", role: viewer}]';
  const subjects = '[{kind: User, name: "oidc:ada", role: maintainer}]';
  const spec = `{tier: development, namespace: ${space}, groups: ${groups}, subjects: ${subjects}}`;
  return `{apiVersion: chandlery.dev/v1alpha1, kind: Environment, metadata: {name: ${name}},\n spec: ${spec}}\n`;
}

/** An Operator with the chart of that name, under any name. */
export function operator(name: string, chart = name): string {
  const { kind } = kindsOf(chart);
  const spec = `{name: ${chart}, chart: {repoURL: "file://slips", name: ${chart}, version: 1.0.0}, catalog: {kinds: [{kind: ${kind}}]}}`;
  return `{apiVersion: operatorcontroller.kubeplus/v1, kind: Operator, metadata: {namespace: chandlery-system, name: ${name}},\n spec: ${spec}}\n`;
}

/** An AppDefinition with the chart of that name and its plural, under any name. */
export function app(name: string, chart = name): string {
  const names = `{kind: ${chart.slice(0, 1).toUpperCase()}${chart.slice(1)}, plural: ${chart}s}`;
  const spec = `{chart: {repoURL: "file://slips", name: ${chart}, version: 1.0.0}, names: ${names}}`;
  return `{apiVersion: chandlery.dev/v1alpha1, kind: AppDefinition, metadata: {name: ${name}},\n spec: ${spec}}\n`;
}

function claim(namespace: string, name: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
}

/** The charts behind `file://slips`. */
export async function writeSlipCharts(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of OPERATOR_NAMES) await offerChart(folder, { name, version: '1.0.0' });
  for (const name of APP_NAMES) {
    const template = deploymentTemplate({ replicas: '{{ .Values.replicas }}', container: 'app' });
    const files = { ...chartFiles(name, '1.0.0'), 'templates/deployment.yaml': template };
    await writeFile(join(folder, `${name}-1.0.0.tgz`), await packChart(name, files));
  }
}

/** The kinds of which people have instances. */
export const INSTANCE_TYPES: readonly KnownType[] = [
  ...OPERATOR_NAMES.map((name): KnownType => {
    const { kind, plural, group } = kindsOf(name);
    return { group, version: 'v1', resource: plural, kind, namespaced: true };
  }),
  ...APP_NAMES.map((name): KnownType => {
    const kind = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
    return { group: OURS.appsGroup, version: OURS.appsVersion, resource: `${name}s`, kind, namespaced: true };
  }),
];

/** What people have in their environments: an instance of each kind, claims, and a binding that one of them made. */
export function workOfPeople(): readonly { readonly type: KnownType; readonly object: KubeObject }[] {
  const places: readonly string[] = [...Object.values(OPERATORS), ...Object.values(APPS)];
  const instances = INSTANCE_TYPES.map((type, index) => ({
    type,
    object: {
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      metadata: { name: 'orders', namespace: places[index] ?? '' },
      spec: type.group === OURS.appsGroup ? { values: { replicas: 1 } } : { size: 1 },
    },
  }));
  const claims = ENVIRONMENTS.map((namespace) => ({ type: PERSISTENT_VOLUME_CLAIM, object: claim(namespace, 'data') }));
  return [...instances, ...claims];
}
