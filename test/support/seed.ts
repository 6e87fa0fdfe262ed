import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packChart, type ChartFiles } from './charts.ts';

// The Operators of 2018 and their charts, cut down to what is special about them: APIs that are gone, a CRD in a template without a schema, a chart address
// that redirects and has a query, no namespace, several documents in one file.

/** Where the charts were offered. */
export const SEED_ADDRESS = 'https://github.com/cloud-ark/operatorcharts/blob/master/';

export const SEED_OPERATORS = `apiVersion: operatorcontroller.kubeplus/v1
kind: Operator
metadata:
  name: postgres-operator
spec:
  name: postgres-operator
  chartURL: ${SEED_ADDRESS}postgres-crd-v2-chart-0.0.2.tgz?raw=true
---
apiVersion: operatorcontroller.kubeplus/v1
kind: Operator
metadata:
  name: moodle-operator
spec:
  name: moodle-operator
  chartURL: ${SEED_ADDRESS}moodle-operator-chart-0.0.1.tgz?raw=true
  values:
    HOST_IP: 192.168.99.100
---
apiVersion: operatorcontroller.kubeplus/v1
kind: Operator
metadata:
  name: gitlab-operator
spec:
  name: gitlab-operator
  chartURL: https://gitlab.com/charts/gitlab-operator
  values:
    GITLAB_TOKEN: xpxVwtj3
`;

/** The two resources of the environment API, to the letter. */
export const SEED_ENVIRONMENTS = `# The two resources of the environment API that must be accepted to the letter.
apiVersion: gitlabdeploymentcontroller.gitlab.com/v1
kind: GitLabDeployment
metadata:
  name: my-compute-environment
spec:
  environment: production
  namespace: my-compute-environment # default \`metadata.name\`
  serviceAccount: {} # default name \`metadata.name\`
  projects:
  - my-team/project
  groups:
  - other-team
---
apiVersion: gitlabdeploymentcontroller.gitlab.com/v1
kind: GitLabMonitoring
metadata:
  name: my-compute-environment-metrics
spec:
  # a Prometheus address and the queries to draw (fields are ours to specify)
  gitLabDeploymentRef:
    name: my-compute-environment
`;

/** Puts the two packed charts into a folder, which serves as a mirror of the address. */
export async function writeSeedCharts(folder: string): Promise<void> {
  for (const [name, version, files] of [
    ['postgres-crd-v2-chart', '0.0.2', postgres()],
    ['moodle-operator-chart', '0.0.1', moodle()],
  ] as const) {
    const chart = { 'Chart.yaml': `apiVersion: v1\nappVersion: "1.0"\nname: ${name}\nversion: ${version}\n`, ...files };
    await writeFile(join(folder, `${name}-${version}.tgz`), await packChart(name, chart));
  }
}

function postgres(): ChartFiles {
  const definition = definitionOf('Postgres', 'postgreses.postgrescontroller.kubeplus', 'Deployment, Service');
  return {
    '.helmignore': '# Patterns to ignore.\n.git/\n*.bak\n*~\n',
    'templates/deployment.yaml': `${deploymentOf('postgres')}---\n${definition}`,
    'openapispec.json': specOf('Postgres', ['deploymentName', 'image', 'users']),
  };
}

function moodle(): ChartFiles {
  const composed = 'Deployment, Service, PersistentVolume, PersistentVolumeClaim, Secret';
  const definition = definitionOf('Moodle', 'moodles.moodlecontroller.kubeplus', composed);
  const env =
    '        env:\n        - name: HOST_IP\n          value: {{ .Values.HOST_IP }}\n        #  valueFrom:\n        #    fieldRef:\n';
  return {
    'values.yaml': 'HOST_IP: Fill-me',
    'templates/deployment.yaml': `${BINDING}---\n${definition}---\n${deploymentOf('moodle')}${env}`,
    'openapispec.json': specOf('Moodle', ['name', 'plugins']),
  };
}

const BINDING = `apiVersion: rbac.authorization.k8s.io/v1beta1
kind: ClusterRoleBinding
metadata:
  name: moodle-operator-rbac
subjects:
  - kind: ServiceAccount
    name: default
    namespace: default
roleRef:
  kind: ClusterRole
  name: cluster-admin
  apiGroup: rbac.authorization.k8s.io
`;

function definitionOf(kind: string, name: string, composition: string): string {
  return `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata:
  name: ${name}
  annotations:
    composition: ${composition}
spec:
  group: ${name.slice(name.indexOf('.') + 1)}
  version: v1
  names:
    kind: ${kind}
    plural: ${name.split('.')[0] ?? ''}
  scope: Namespaced
`;
}

function deploymentOf(name: string): string {
  return `apiVersion: apps/v1beta1
kind: Deployment
metadata:
  name: ${name}-operator-deployment
  labels:
    app: ${name}-operator
spec:
  replicas: 1${' '}
  selector:
    matchLabels:
      app: ${name}-operator
  template:
    metadata:
      labels:
        app: ${name}-operator
    spec:
      containers:
      - name: ${name}-operator
        image: example.com/${name}-operator:latest
        imagePullPolicy: Always
        command: [ "/${name}"]
`;
}

/** The description of the kind as the charts carry it: Swagger 2, every type under the name of a Go package. */
function specOf(kind: string, required: readonly string[]): string {
  const properties = Object.fromEntries(required.map((name) => [name, { type: 'string' }]));
  const reference = { $ref: `#/definitions/typedir.${kind}Spec` };
  const definitions = {
    [`typedir.${kind}`]: { description: `${kind} is a specification`, required: ['spec', 'status'], properties: { spec: reference } },
    [`typedir.${kind}Spec`]: { required, properties },
  };
  return JSON.stringify(
    { swagger: '2.0', info: { title: 'OpenAPI Doc Generator', version: '0.0.1' }, paths: {}, definitions },
    undefined,
    1,
  );
}
