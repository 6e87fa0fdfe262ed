import { chartFiles, type ChartFiles, deploymentTemplate } from './charts.ts';
import { RUN } from './run-name.ts';

export const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\n';

/** A chart with a Deployment, a kind in `crds/` and one in a template. `as` gives it the kinds of another. */
export function operatorChart(name: string, version: string, as = name): ChartFiles {
  const { kind, plural, group } = kindsOf(as);
  return chartFiles(name, version, {
    'crds/main.yaml': definition({ group, kind, plural }),
    'templates/part.yaml': definition({ group, kind: `${kind}Part`, plural: 'parts' }),
    'templates/deployment.yaml': deploymentTemplate({ replicas: '{{ .Values.replicas }}', container: 'operator' }),
  });
}

const ANYTHING = '{type: object, x-kubernetes-preserve-unknown-fields: true}';

/** The CRD of the kind of a chart of that name, with one version. @param schema its openAPIV3Schema, as flow YAML. */
export function crdOf(name: string, schema: string): string {
  const { kind, plural, group } = kindsOf(name);
  return definition({ group, kind, plural }, schema);
}

function definition({ group, kind, plural }: ReturnType<typeof kindsOf>, schema = ANYTHING): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${plural}.${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {kind: ${kind}, plural: ${plural}}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: ${schema}}
`;
}

/** The kinds of the chart of that name. */
export function kindsOf(name: string): { kind: string; plural: string; group: string } {
  return { kind: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, plural: `${name}s`, group: `${name}.${RUN}.example.com` };
}
