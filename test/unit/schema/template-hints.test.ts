import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import type { JsonObject, KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { buildForm } from '../../../src/form/model/form-model.ts';
import { listFields } from '../../../src/form/model/list-fields.ts';
import { chartHints } from '../../../src/schema/hints/chart-hints.ts';
import { inferSchema } from '../../../src/schema/infer-schema.ts';

const VALUES = `
where: {}
spread: []
settings: {}
sidecar: {}
more: {}
tags: {}
vars: {}
rows: []
mounts: []
store: {}
claims: []
clusterClass: ""
motd: ""
agent: {}
tuning: {}
shared: {}
hooks: {}
inText: {}
unread: {}
size:
`;

/** The same as charts write it in all the ways that there are. */
const TEMPLATES = {
  'templates/_helpers.tpl': `
{{- define "shop.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name | quote }}
{{- with .Values.tags }}
{{ toYaml . }}
{{- end }}
{{- end -}}
{{- define "shop.pod" }}
metadata:
  labels: {{- include "shop.labels" . | nindent 4 }}
spec:
  {{- /* a comment with }} in it */}}
  nodeSelector: {{- toYaml .Values.where | nindent 4 }}
  {{- with .Values.spread }}
  tolerations:
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- $root := . }}
  containers:
    - name: main
      image: {{ .Values.image }}
      env:
        {{- range $name, $value := .Values.vars }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
        {{- range $root.Values.rows }}
        - name: {{ .title }}
          valueFrom:
            secretKeyRef:
              name: {{ .from.source }}
              key: key
        {{- end }}
      volumeMounts:
        - name: data
          mountPath: /data
        {{- include "lib.render" (dict "value" .Values.mounts "context" $) | nindent 8 }}
      securityContext:
        {{- omit .Values.settings "enabled" | toYaml | nindent 8 }}
      resources: {{ toYaml (merge .Values.shared (dict "limits" "none")) | nindent 8 }}
    - {{- toYaml .Values.sidecar | nindent 6 }}
{{- end }}
`,
  'templates/deployment.yaml': `
{{- if .Values.enabled }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  annotations:
    a: b
    {{- tpl (toYaml .Values.more) . | nindent 4 }}
spec:
  template: {{- include "shop.pod" . | nindent 4 }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: motd}
data:
  motd: {{ .Values.motd | quote }}
  config.yaml: |
    volumes:
    {{- toYaml .Values.inText | nindent 4 }}
    size={{ .Values.size }}
{{- end }}
`,
  'templates/store.yaml': `
apiVersion: db.example.com/v1
kind: Store
spec:
  backup: {{- toYaml .Values.store | nindent 4 }}
  parameters:
  {{- range $key, $value := .Values.tuning }}
    {{ $key }}: {{ $value | quote }}
  {{- end }}
---
apiVersion: apps/v1
kind: StatefulSet
spec:
  volumeClaimTemplates: {{ .Values.claims | toYaml | nindent 4 }}
  template:
    spec:
      priorityClassName: {{ .Values.clusterClass }}
      containers:
        - name: agent
          livenessProbe:
            httpGet: {path: {{ .Values.agent.path }}, port: 80}
            periodSeconds: {{ .Values.agent.seconds }}
          lifecycle: {{- get .Values "hooks" | toYaml | nindent 12 }}
`,
};

const LIBRARY = { 'charts/lib.tgz/templates/_render.tpl': '{{- define "lib.render" }}{{ tpl (.value | toYaml) .context }}{{ end }}' };

const STORE: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'stores.db.example.com' },
  spec: {
    group: 'db.example.com',
    names: { kind: 'Store' },
    versions: [{ name: 'v1', storage: true, schema: { openAPIV3Schema: storeSchema() } }],
  },
};

function storeSchema(): JsonObject {
  const backup = {
    type: 'object',
    required: ['bucket'],
    properties: {
      bucket: { type: 'string', pattern: '^s3:' },
      keep: { type: 'integer', minimum: 1 },
      tier: { type: 'string', enum: ['hot', 'cold'] },
    },
  };
  const parameters = { type: 'object', additionalProperties: { type: 'string' } };
  return { type: 'object', properties: { spec: { type: 'object', properties: { backup, parameters } } } };
}

const asMap = (files: Readonly<Record<string, string>>): ReadonlyMap<string, string> => new Map(Object.entries(files));

function controlsOf(templates: Readonly<Record<string, string>>, ciValues: readonly JsonObject[] = []): Readonly<Record<string, string>> {
  const schema = inferSchema(VALUES);
  const values = Object.fromEntries(Object.entries((schema['properties'] ?? {}) as object).map(([key]) => [key, null]));
  const hints = chartHints({ valuesText: VALUES, values, templates: asMap(templates), libraries: asMap(LIBRARY), crds: [STORE], ciValues });
  const model = buildForm({ schema, root: '', curated: [], mode: 'create', hints });
  return Object.fromEntries(
    listFields(model).map(({ path, control, constraints }) => [path, stringifyJson(constraints) === '{}' ? control : 'limited']),
  );
}

const EXPECTED = {
  where: 'map',
  spread: 'list',
  'spread[*].effect': 'enum',
  'settings.runAsUser': 'int-or-string',
  'settings.capabilities.drop': 'list',
  'sidecar.image': 'text',
  'sidecar.volumeMounts[*].mountPath': 'text',
  more: 'map',
  tags: 'map',
  vars: 'map',
  rows: 'list',
  'rows[*].title': 'text',
  'rows[*].from.source': 'text',
  'mounts[*].mountPath': 'text',
  'shared.limits': 'map',
  'store.bucket': 'text',
  'store.keep': 'int-or-string',
  'store.tier': 'enum',
  tuning: 'map',
  'claims[*].spec.accessModes': 'list',
  clusterClass: 'text',
  motd: 'text',
  'agent.path': 'int-or-string',
  'agent.seconds': 'int-or-string',
  'hooks.preStop.exec.command': 'list',
  size: 'int-or-string',
  // In the text of a file it can be anything.
  inText: 'yaml',
  unread: 'yaml',
};

test('What is empty has the type of the field of Kubernetes, or of a CRD of the chart, into which its templates write it', () => {
  const found = controlsOf(TEMPLATES);
  assert.deepEqual(Object.fromEntries(Object.keys(EXPECTED).map((path) => [path, found[path]])), EXPECTED);
});

test('Without its templates hardly anything of such a chart is known', () => {
  const found = controlsOf({});
  assert.deepEqual([found['where'], found['spread'], found['store'], found['rows']], ['yaml', 'yaml', 'yaml', 'yaml']);
});

test('What the values in ci/ set types what is empty, and corrects what the templates seem to say', () => {
  const found = controlsOf(TEMPLATES, [{ unread: { level: 'high', depth: 3 }, where: ['a'], size: 5 }]);
  assert.deepEqual([found['unread.level'], found['unread.depth']], ['text', 'int-or-string']);
  assert.equal(found['where'], 'yaml');
});

/** Each stands before a template that sets `where`, which is read as long as the templates before it have left something of the bounds of a chart. */
const HOSTILE: Readonly<Record<string, readonly [text: string, where: 'map' | 'yaml']>> = {
  'an action that never ends': [`kind: Pod\n{{ ${'('.repeat(100_000)}`, 'map'],
  'a text that never ends': [`{{ "${'\\'.repeat(200_000)}`, 'map'],
  'blocks in blocks': ['{{ if .Values.where }}'.repeat(20_000), 'yaml'],
  'actions without end': ['{{ .Values.where }}'.repeat(100_000), 'yaml'],
  'brackets in brackets': [`{{ ${'(index '.repeat(50_000)} .Values "where" }}`, 'map'],
  'a template that includes itself': [`{{ define "a" }}${'{{ include "a" . }}\n'.repeat(2)}{{ end }}{{ include "a" . }}`, 'map'],
  'templates that include many': [
    `${Array.from({ length: 6 }, (_, n) => `{{ define "t${n}" }}${`{{ include "t${n + 1}" . }}\n`.repeat(9)}{{ end }}`).join('')}{{ include "t0" . }}`,
    'yaml',
  ],
  'a long line': [`kind: Pod\nspec: ${'a'.repeat(1_000_000)}{{ .Values.where }}`, 'map'],
  'columns without end': [Array.from({ length: 1_500 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'), 'map'],
  'more than two MiB': [Array.from({ length: 3_000 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'), 'yaml'],
  'entries in entries': [`${'- '.repeat(200_000)}{{ .Values.where }}`, 'map'],
  'braces alone': ['{{'.repeat(500_000), 'map'],
  'names of the language': ['{{ .Values.__proto__.constructor }}{{ $__proto__ }}{{ include "__proto__" . }}{{ toString }}', 'map'],
};

for (const [world, [text, where]] of Object.entries(HOSTILE)) {
  test(`Templates are hostile: after ${world} a template is ${where === 'map' ? 'still read' : 'not read any more'}`, () => {
    const found = controlsOf({
      'templates/a.yaml': text,
      'templates/b.yaml': 'apiVersion: v1\nkind: Pod\nspec:\n  nodeSelector: {{ toYaml .Values.where | nindent 4 }}\n',
    });
    assert.deepEqual([found['where'], found['unread']], [where, 'yaml']);
  });
}
