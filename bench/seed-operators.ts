import { gunzipSync, gzipSync } from 'node:zlib';
import pMap from 'p-map';
import { stringifyJson } from '../src/domain/core/exact-json.ts';
import { CONFIG_MAP, CRD, NAMESPACE, OPERATOR, SECRET } from '../src/domain/kubernetes/resource-types.ts';
import { textAt } from '../src/domain/core/read.ts';
import { parseManifest } from '../src/domain/kubernetes/manifest.ts';
import { OURS } from '../src/domain/kubernetes/names.ts';
import { operatorLabelValue } from '../src/domain/operator/operator-spec.ts';
import type { KubeObject, ResourceType } from '../src/domain/kubernetes/resource.ts';
import type { Kube } from '../src/kube/kube.ts';
import { chartFiles, type ChartFiles, deploymentTemplate } from '../test/support/charts.ts';

/** How many different charts the Operators come from. */
export const CHARTS = 20;
const AT_ONCE = 16;
const DEPLOYMENT: ResourceType = { group: 'apps', version: 'v1', resource: 'deployments' };

/** The n-th Operator. The first ones, one of each chart without and one with a kind, are the models of all others. */
interface Place {
  readonly index: number;
  readonly name: string;
  readonly namespace: string;
  readonly chart: string;
  readonly brings: 'kind' | 'nothing';
}

export function benchCharts(): Readonly<Record<string, ChartFiles>> {
  return Object.fromEntries(
    Array.from({ length: CHARTS }, (_, index) => [chartName(index), chartFiles(chartName(index), '1.0.0', TEMPLATES)]),
  );
}

/** Asks for the models. Gives how many they are. */
export async function createModels(kube: Kube, signal: AbortSignal): Promise<number> {
  const cluster = kube.asController();
  for (const namespace of new Set(models().map((place) => place.namespace))) await createNamespace(kube, namespace);
  await pMap(models(), (place) => cluster.create(OPERATOR, operatorAt(place), { signal }), { concurrency: AT_ONCE });
  return models().length;
}

/** Makes so many Operators out of the models. Gives the keys of all. */
export async function multiply(kube: Kube, count: number, signal: AbortSignal): Promise<readonly string[]> {
  const cluster = kube.asController();
  const all = Array.from({ length: count }, (_, index) => placeOf(index));
  const known = new Map<string, Model>();
  for (const place of models()) known.set(modelName(place), await readModel(kube, place));
  for (const namespace of new Set(all.slice(models().length).map((place) => place.namespace))) await createNamespace(kube, namespace);
  await pMap(
    all.slice(models().length),
    async (place) => {
      const model = known.get(modelName(place));
      if (model === undefined) throw new Error(`no model for ${place.name}`);
      for (const [type, object] of copiesOf(model, place)) await cluster.create(type, object, { signal, fieldValidation: 'Ignore' });
    },
    { concurrency: AT_ONCE },
  );
  return all.map(({ namespace, name }) => `${namespace}/${name}`);
}

function models(): readonly Place[] {
  return Array.from({ length: 2 * CHARTS }, (_, index) => placeOf(index));
}

function placeOf(index: number): Place {
  const isModel = index < 2 * CHARTS;
  return {
    index,
    name: `operator-${String(index).padStart(4, '0')}`,
    namespace: `bench-${index % 50}`,
    chart: chartName(index % CHARTS),
    brings: (isModel ? index >= CHARTS : index % 10 === 0) ? 'kind' : 'nothing',
  };
}

function modelName({ chart, brings }: Place): string {
  return `${chart} ${brings}`;
}

function chartName(index: number): string {
  return `bench-${String(index).padStart(2, '0')}`;
}

function operatorAt({ name, namespace, chart, brings }: Place): KubeObject {
  return {
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    metadata: { name, namespace },
    spec: {
      chart: { repoURL: 'https://charts.example.com/', name: chart, version: '1.0.0' },
      values: { kind: brings === 'kind' },
    },
  };
}

interface Model {
  readonly place: Place;
  readonly record: KubeObject;
  readonly objects: readonly KubeObject[];
  readonly definitions: readonly KubeObject[];
}

async function readModel(kube: Kube, place: Place): Promise<Model> {
  const cluster = kube.asController();
  const { name, namespace } = place;
  const record = await cluster.get({ ...SECRET, namespace, name: recordName(place) });
  const label = operatorLabelValue(namespace, name);
  const definitions = (await cluster.list(CRD, { labelSelector: `${OURS.operatorLabel}=${label}` })).items;
  return { place, record, objects: parseManifest(textAt(releaseOf(record), 'manifest') ?? ''), definitions };
}

/** Everything of a copy but the status; the Operator last, so that the controller finds the rest. */
function copiesOf({ place: model, record, objects, definitions }: Model, place: Place): readonly (readonly [ResourceType, KubeObject])[] {
  const { name, namespace } = place;
  const rename = (text: string): string => text.replaceAll(model.name, name);
  const released = { 'meta.helm.sh/release-name': name, 'meta.helm.sh/release-namespace': namespace };
  const placed = (object: KubeObject): KubeObject => {
    const copy = JSON.parse(rename(stringifyJson(object))) as KubeObject;
    const { labels = {}, annotations = {} } = copy.metadata;
    const metadata = { name: copy.metadata.name, namespace, labels: { ...labels, 'app.kubernetes.io/managed-by': 'Helm' } };
    return { ...copy, metadata: { ...metadata, annotations: { ...annotations, ...released } } };
  };
  const label = operatorLabelValue(namespace, name);
  const release = JSON.parse(rename(stringifyJson(releaseOf(record)))) as object;
  const text = Buffer.from(gzipSync(JSON.stringify({ ...release, namespace })).toString('base64')).toString('base64');
  const labels = { ...record.metadata.labels, name, [OURS.operatorLabel]: label };
  const definitionCopies = definitions.map((crd): [ResourceType, KubeObject] => {
    const { apiVersion, kind, spec, metadata } = JSON.parse(rename(stringifyJson(crd))) as KubeObject;
    const labels = { ...metadata.labels, [OURS.operatorLabel]: label };
    return [CRD, { apiVersion, kind, spec, metadata: { name: metadata.name, labels, annotations: metadata.annotations ?? {} } }];
  });
  return [
    ...definitionCopies,
    ...objects.map((object): [ResourceType, KubeObject] => [object.kind === 'Deployment' ? DEPLOYMENT : CONFIG_MAP, placed(object)]),
    [SECRET, { ...record, metadata: { name: recordName(place), namespace, labels }, data: { release: text } }],
    [OPERATOR, operatorAt(place)],
  ];
}

function recordName({ name }: Place): string {
  return `sh.helm.release.v1.${name}.v1`;
}

/** What Helm keeps in a record: JSON, compressed, in base64, in the base64 of a Secret. */
function releaseOf(record: KubeObject): unknown {
  const packed = Buffer.from(Buffer.from(textAt(record, 'data', 'release') ?? '', 'base64').toString('utf8'), 'base64');
  return JSON.parse(gunzipSync(packed).toString('utf8'));
}

async function createNamespace(kube: Kube, name: string): Promise<void> {
  await kube.asController().apply(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { fieldManager: 'bench' });
}

const TEMPLATES: ChartFiles = {
  'templates/all.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}"}
data: {greeting: hello}
---
${deploymentTemplate({ replicas: 0, container: 'operator' })}`,
  'templates/kind.yaml': `{{- if .Values.kind }}
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: "things.{{ .Release.Name }}.bench.example.com"}
spec:
  group: "{{ .Release.Name }}.bench.example.com"
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
{{- end }}
`,
};
