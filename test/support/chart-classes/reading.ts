import { chartClass, subchart, SUBCHART_MAP, VALUES_MAP } from './chart-class.ts';

const NOTED = 'replicas: 1 # how many\nname: shop\n';

/** Charts that Helm reads although they are written in an unusual way. */
export const READING = [
  chartClass('byte-order-mark', 'Its values begin with a byte order mark', { values: `\uFEFF${NOTED}` }),
  chartClass('carriage-returns', 'Its lines end as on Windows', {
    values: NOTED.replaceAll('\n', '\r\n'),
    files: { 'templates/values.yaml': VALUES_MAP.replaceAll('\n', '\r\n') },
  }),
  chartClass('number-app-version', 'Its app version is a number', { chart: 'appVersion: 2.10\n', values: NOTED }),
  chartClass('two-part-version', 'Its version has two parts', { version: '1.2', values: NOTED }),
  chartClass('snapshot-version', 'Its version is a snapshot', { version: '1.16.0-SNAPSHOT', values: NOTED }),
  chartClass('v-version', 'Its version begins with a letter', { version: 'v1.2.3', values: NOTED }),
  chartClass('requirements', 'It is of the first API and lists its subchart in requirements.yaml', {
    files: {
      'Chart.yaml': 'apiVersion: v1\nname: requirements\nversion: 0.1.0\n',
      'values.yaml': 'lib: {enabled: true, size: 2}\n',
      'requirements.yaml': 'dependencies:\n  - {name: lib, version: 1.0.0, repository: "", condition: lib.enabled}\n',
      ...subchart('lib', 'enabled: false\nsize: 1\n', { 'templates/a.yaml': SUBCHART_MAP }),
    },
  }),
  chartClass('merge-keys', 'Its values have anchors, aliases and merge keys', {
    values: `common: &c {cpu: 100m, memory: 128Mi}
web: {<<: *c, replicas: 2}
worker:
  <<: [*c]
  memory: 1Gi
list: [*c, *c]
text: &s text
same: *s
`,
  }),
  chartClass('switch-on-off', 'Its switches are on and off, and its mode is an octal number', {
    values: '# switch of metrics\nmetrics: on\nbackup: no\nmode: 0755\n',
  }),
  chartClass('large-numbers', 'Its numbers have more digits than a float', {
    values: 'account: 9007199254740993\nsmall: -9007199254740993\nratio: 1e3\nhalf: .5\n',
  }),
  chartClass('many-documents', 'Its template has empty documents and a list', {
    files: {
      'templates/all.yaml': `---
# nothing
---
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: "{{ .Release.Name }}-a"}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-b}
`,
    },
  }),
  chartClass('foreign-script', 'Its texts are Arabic and Chinese', { values: '# مرحبا\ngreeting: مرحبا بالعالم\nname: 商店\n' }),
];
