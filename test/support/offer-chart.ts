import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChartFiles, chartFiles, packChart } from './charts.ts';
import { kindsOf } from './operator-charts.ts';

export interface OfferedChart {
  readonly name: string;
  readonly version: string;
  /** Properties of the kind's `spec`, as flow YAML; default `size: {type: integer}`. */
  readonly properties?: string;
  /** The versions of the kind, as `versionOf` writes them; default one, `v1`, with `properties`. */
  readonly versions?: string;
  /** The label that its Deployment selects pods by. */
  readonly selector?: string;
  readonly image?: string;
  readonly values?: string;
  /** What holds its password. */
  readonly holds?: 'Secret' | 'ConfigMap';
}

/** Puts a packed chart with a kind, a Deployment and a Secret into a folder that serves as a repository, beside its other versions. */
export async function offerChart(folder: string, chart: OfferedChart): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${chart.name}-${chart.version}.tgz`), await packChart(chart.name, filesOf(chart)));
}

function filesOf({
  name,
  version,
  properties = 'size: {type: integer}',
  versions = versionOf('v1', { properties, storage: true }),
  selector = 'operator',
  image = '1',
  values,
  holds = 'Secret',
}: OfferedChart): ChartFiles {
  const { kind, plural, group } = kindsOf(name);
  return {
    ...chartFiles(name, version),
    ...(values === undefined ? {} : { 'values.yaml': values }),
    'crds/main.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${plural}.${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {kind: ${kind}, plural: ${plural}}
  versions:
${versions}`,
    'templates/deployment.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}", labels: {helm.sh/chart: "{{ .Chart.Name }}-{{ .Chart.Version }}"}}
spec:
  replicas: 0
  selector: {matchLabels: {app: ${selector}}}
  template:
    metadata: {labels: {app: ${selector}}}
    spec: {containers: [{name: operator, image: "example.com/operator:${image}"}]}
`,
    'templates/secret.yaml': `apiVersion: v1
kind: ${holds}
metadata: {name: "{{ .Values.name | default .Release.Name }}"}
${holds === 'Secret' ? 'stringData' : 'data'}: {password: "{{ .Values.password }}", version: "{{ .Chart.Version }}"}
`,
  };
}

/** A served version of a kind, for `versions`. `storage` says whether objects are stored in it. */
export function versionOf(
  name: string,
  { properties, required = '', storage }: { readonly properties: string; readonly required?: string; readonly storage: boolean },
): string {
  const spec = `{type: object, required: [${required}], properties: {${properties}}}`;
  return `    - name: ${name}
      served: true
      storage: ${storage}
      schema: {openAPIV3Schema: {type: object, properties: {spec: ${spec}}}}
`;
}
