import { chartClass, subchart, SUBCHART_MAP, VALUES_MAP } from './chart-class.ts';
import { deploymentTemplate } from '../charts.ts';

/** Charts without a schema whose values are more than their defaults show, and charts with subcharts. */
export const VALUES = [
  chartClass('inferred-types', 'Its values take quantities, percentages, ports by name and switches', {
    values: 'resources:\n  requests: {cpu: 100m, memory: 128Mi}\nimage: {tag: "16"}\nnodePort: false\nmaxSurge: 25%\nargs: [a, b]\n',
    files: {
      'ci/other-values.yaml':
        'resources: {requests: {cpu: 1, memory: 134217728}}\nimage: {tag: 16}\nnodePort: 30080\nmaxSurge: 1\nargs: [a, 1, true]\n',
      'ci/more-values.yaml': 'resources: ""\nimage: {tag: }\nnodePort: http\n',
      'templates/values.yaml': VALUES_MAP,
    },
  }),
  chartClass('ci-empty-string', 'A ci file sets an object to the empty text, which the chart takes as off', {
    values: 'controller:\n  securityContext:\n    runAsUser: 1000\n    readOnlyRootFilesystem: true\n',
    files: { 'ci/off-values.yaml': 'controller:\n  securityContext: ""\n', 'templates/values.yaml': VALUES_MAP },
  }),
  chartClass('empty-lists', 'Its lists and objects are empty, with examples in comments, as helm create writes them', {
    values: `replicaCount: 1
imagePullSecrets: []
podAnnotations: {}
nodeSelector: {}
tolerations: []
affinity: {}
resources: {}
  # limits:
  #   cpu: 100m
  #   memory: 128Mi
extraEnv: []
# - name: FOO
#   value: bar
ingress:
  hosts: []
  # - host: chart-example.local
  #   paths:
  #     - path: /
  tls: []
  #  - secretName: chart-example-tls
  #    hosts:
  #      - chart-example.local
`,
    files: {
      'ci/set-values.yaml': `imagePullSecrets: [{name: registry}]
tolerations: [{key: a, operator: Exists}]
resources: {limits: {cpu: 100m}}
ingress: {hosts: [{host: a.example.com, paths: [{path: /}]}], tls: [{secretName: a, hosts: [a.example.com]}]}
`,
      'templates/values.yaml': VALUES_MAP,
    },
  }),
  chartClass('texts-like-numbers', 'Its texts look like numbers and switches', {
    values: 'image: {tag: "1.10"}\nauth: {password: "0123456"}\nmetrics: "off"\nnothing: "null"\nratio: "1e3"\n',
  }),
  chartClass('templated-values', 'Its values are templates themselves', {
    values: 'host: "{{ .Release.Name }}.example.com"\nreplicas: "{{ 1 }}"\n',
    files: { 'templates/all.yaml': deploymentTemplate({ replicas: '{{ tpl .Values.replicas . }}', container: 'main' }) },
  }),
  chartClass('odd-keys', 'The keys of its values have dots, slashes and blanks', {
    values: 'annotations: {"a.b/c": x, "two words": y}\nserver.port: 80\n"1": one\n',
  }),
  chartClass('aliased-subcharts', 'Two subcharts are one chart under two names, with conditions, tags and globals', {
    chart: `dependencies:
  - {name: redis, version: 1.0.0, alias: cache, condition: cache.enabled}
  - {name: redis, version: 1.0.0, alias: session, condition: session.enabled}
  - {name: metrics, version: ">=1.0.0", tags: [monitoring]}
`,
    values: 'global: {zone: a}\ncache: {enabled: true, size: 2}\nsession: {enabled: false}\ntags: {monitoring: false}\n',
    files: {
      ...subchart('redis', 'enabled: true\nsize: 1\nglobal: {zone: b, registry: docker.io}\n', {
        'templates/a.yaml':
          'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}-{{ .Chart.Name }}"}\ndata: {values: {{ toJson .Values | quote }}}\n',
      }),
      ...subchart('metrics', 'port: 9090\n', { 'templates/a.yaml': SUBCHART_MAP }),
    },
  }),
  chartClass('import-values', 'It takes a value from its subchart that its schema requires', {
    chart: 'dependencies:\n  - {name: lib, version: 1.0.0, import-values: [data, {child: defaults, parent: backend}]}\n',
    values: 'replicas: 1\nbackend: {port: 81}\n',
    files: {
      'values.schema.json':
        '{"type":"object","required":["endpoint"],"properties":{"replicas":{"type":"integer"},"endpoint":{"type":"string"}}}',
      'templates/values.yaml': VALUES_MAP,
      ...subchart('lib', 'exports: {data: {endpoint: https://api.internal}}\ndefaults: {port: 80, path: /}\n'),
    },
  }),
  chartClass('library', 'Its names come from a library chart', {
    chart: 'dependencies:\n  - {name: common, version: 1.x.x}\n',
    files: {
      'charts/common/Chart.yaml': 'apiVersion: v2\nname: common\nversion: 1.0.0\ntype: library\n',
      'charts/common/templates/_names.tpl': '{{- define "common.name" -}}{{ .Release.Name }}-shop{{- end -}}\n',
      'templates/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ include "common.name" . }}}\n',
    },
  }),
  chartClass('generated-password', 'Each rendering has another password', {
    values: 'auth: {password: "", existingSecret: ""}\n',
    files: {
      'templates/secret.yaml': `apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}}
stringData: {password: {{ .Values.auth.password | default (randAlphaNum 16) | quote }}}
`,
    },
  }),
  chartClass('null-subchart-value', 'A null of its own values does not take the default of its subchart away', {
    chart: 'dependencies:\n  - {name: lib, version: 1.0.0}\n',
    values: 'lib: {storageClass: null, size: 2}\n',
    files: {
      ...subchart('lib', 'storageClass: fast\nsize: 1\n', {
        'values.schema.json': '{"properties":{"storageClass":{"enum":["fast"]},"size":{"type":"integer"}}}',
        'templates/a.yaml': SUBCHART_MAP,
      }),
    },
  }),
];
