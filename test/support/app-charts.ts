import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { admissionPolicy } from './admission-policy.ts';
import type { ChartFiles } from './charts.ts';
import { repoRoot } from './cluster.ts';
import { RUN } from './run-name.ts';

/** A sample chart of ours, under another name and version. */
export async function sampleChart(chart: string, name: string): Promise<ChartFiles> {
  const folder = join(repoRoot, 'charts', 'apps', chart);
  const paths = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const files = paths.map(async ({ parentPath, name: file }) => {
    const path = join(parentPath, file);
    return [path.slice(folder.length + 1), await readFile(path, 'utf8')] as const;
  });
  const all = Object.fromEntries(await Promise.all(files));
  return { ...all, 'Chart.yaml': (all['Chart.yaml'] ?? '').replace(/^name: .*$/m, `name: ${name}`) };
}

const WORKER = `apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}"}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: "{{ .Release.Name }}"}}
  template:
    metadata: {labels: {app: "{{ .Release.Name }}"}}
    spec:
      nodeSelector: {{- toYaml .Values.nodeSelector | nindent 8 }}
      containers:
        - name: worker
          image: "registry.example.com:5000/team/worker:{{ .Chart.Version }}"
          resources: {requests: {cpu: "{{ .Values.cpu }}", memory: 16Mi}}
          securityContext: {privileged: {{ .Values.privileged }}}
`;

const TOKEN = `apiVersion: v1
kind: Secret
metadata: {name: "{{ .Release.Name }}"}
stringData: {token: "{{ .Values.token }}"}
`;

/** Charts as other people write them: without a schema, with hooks and tests, with a subject for each of the checks of a preflight. */
export const SMALL_CHARTS: Readonly<Record<string, ChartFiles>> = {
  worker: {
    'values.yaml': 'replicas: 1\ncpu: 10m\nprivileged: false\nnodeSelector: {}\ntoken: first\nobjects: 0\nextra: ""\n',
    'templates/worker.yaml': WORKER,
    'templates/token.yaml': TOKEN,
    'templates/many.yaml': `{{- range $i := until (int .Values.objects) }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ $.Release.Name }}-{{ $i }}"}
{{- end }}
`,
    'templates/extra.yaml': '{{ tpl .Values.extra . }}',
  },
  daemon: {
    'values.yaml': 'port: 8080\n',
    'templates/all.yaml': `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: "{{ .Release.Name }}"}
spec:
  selector: {matchLabels: {app: "{{ .Release.Name }}"}}
  template:
    metadata: {labels: {app: "{{ .Release.Name }}"}}
    spec: {containers: [{name: agent, image: agent, ports: [{containerPort: {{ .Values.port }}}]}]}
`,
  },
  settings: {
    'values.yaml': 'text: a\n',
    'templates/config.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\ndata: {text: {{ .Values.text | quote }}}\n',
    'templates/hook.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}-before", annotations: {helm.sh/hook: "pre-install,pre-upgrade"}}
`,
  },
  nightly: {
    'values.yaml': 'schedule: "0 3 * * *"\n',
    'templates/cron.yaml': `apiVersion: batch/v1
kind: CronJob
metadata: {name: "{{ .Release.Name }}"}
spec:
  schedule: {{ .Values.schedule | quote }}
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: run, image: busybox}]}}}}
`,
  },
};

/** Denies the Deployment of a worker with four replicas. */
export const WORKER_POLICY = admissionPolicy({
  name: `workers-${RUN}.example.com`,
  validationActions: ['Deny'],
  group: 'apps',
  resource: 'deployments',
  expression: `object.metadata.name != 'worker${RUN}-checked' || object.spec.replicas != 4`,
  message: 'four workers are too many',
});
