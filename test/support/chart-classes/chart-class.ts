import type { ChartFiles } from '../charts.ts';

/** A small chart that stands for what many public charts have in common. */
export interface ChartClass {
  readonly name: string;
  /** A sentence about what is special. */
  readonly about: string;
  readonly version: string;
  readonly files: ChartFiles;
  /** Whether a developer can install it with its own values. */
  readonly outcome: 'installs' | 'does not install';
}

type Special = Partial<Pick<ChartClass, 'version' | 'outcome'>> & {
  readonly values?: string;
  /** Further files, or other ones than usual. */
  readonly files?: ChartFiles;
  /** Lines of Chart.yaml beside name and version. */
  readonly chart?: string;
};

/** A chart whose one template stores all values, unless it is said otherwise. */
export function chartClass(name: string, about: string, special: Special = {}): ChartClass {
  const { version = '0.1.0', outcome = 'installs', values = '{}\n', chart = '' } = special;
  const head = `apiVersion: v2\nname: ${name}\nversion: ${version}\ndescription: ${JSON.stringify(about)}\n${chart}`;
  const hasTemplates = Object.keys(special.files ?? {}).some((path) => path.startsWith('templates/'));
  const files = { 'Chart.yaml': head, 'values.yaml': values, ...(hasTemplates ? {} : { 'templates/values.yaml': VALUES_MAP }) };
  return { name, about, version, outcome, files: { ...files, ...special.files } };
}

export const VALUES_MAP = `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-values}
data: {values: {{ toJson .Values | quote }}}
`;

/** The files of a chart within a chart. */
export function subchart(name: string, values: string, more: ChartFiles = {}): ChartFiles {
  const files = { 'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`, 'values.yaml': values, ...more };
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`charts/${name}/${path}`, text]));
}

/** A template of a subchart that stores the values that it gets. */
export const SUBCHART_MAP = `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-{{ .Chart.Name }}}
data: {values: {{ toJson .Values | quote }}}
`;
