import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import type { Header } from 'tar-stream';
import { localTls } from './local-tls.ts';

/** A folder that goes with the test. */
export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-charts-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Texts by their path in the chart. */
export type ChartFiles = Readonly<Record<string, string>>;

/** An entry of a tar archive, as wrong as a test wants it. */
export type RawEntry = Partial<Omit<Header, 'size'>> & { readonly name: string; readonly content?: string | Buffer };

/** Chart.yaml and values.yaml of a chart, and whatever else is given. */
export function chartFiles(name: string, version: string, more: ChartFiles = {}): ChartFiles {
  return { 'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: ${version}\n`, 'values.yaml': 'replicas: 1 # how many\n', ...more };
}

interface DeploymentInput {
  /** May be an expression of the template, like the image. */
  readonly replicas: number | string;
  readonly container: string;
  /** Default: one of its own name. */
  readonly image?: string;
}

/** A template of a Deployment that is named after the release. @param replicas how many, or the action of a template that gives it. */
export function deploymentTemplate({ replicas, container, image = `example.com/${container}:1` }: DeploymentInput): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}"}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: "{{ .Release.Name }}"}}
  template:
    metadata: {labels: {app: "{{ .Release.Name }}"}}
    spec: {containers: [{name: ${container}, image: ${image}}]}
`;
}

/** A packed chart, files below a folder of the chart's name. */
export async function packChart(folder: string, files: ChartFiles): Promise<Buffer> {
  return packEntries(Object.entries(files).map(([path, content]) => ({ name: `${folder}/${path}`, content })));
}

export async function packEntries(entries: readonly RawEntry[]): Promise<Buffer> {
  const archive = pack();
  for (const { content = '', ...header } of entries) {
    if (header.type === undefined || header.type === 'file') archive.entry(header, content);
    else archive.entry(header);
  }
  archive.finalize();
  return gzipSync(await buffer(archive));
}

/** Writes files below a folder, making what folders they need. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

/** A server on a free loopback port that goes with the test. Gives its address without a slash at the end. */
export async function serveHttp(t: TestContext, listener: RequestListener): Promise<string> {
  return `http://localhost:${await listen(t, createServer(listener))}`;
}

export interface TlsSite {
  readonly address: string;
  /** The PEM of the authority that signed its certificate. */
  readonly authority: string;
}

/** The same by https, under an authority of its own. With `clients`, only those with a certificate of that authority get in. */
export async function serveHttps(t: TestContext, listener: RequestListener, clients?: { readonly authority: string }): Promise<TlsSite> {
  const { authority, server: pair } = localTls();
  const port = await listen(t, createTlsServer({ cert: pair.certificate, key: pair.key, ...askingFor(clients) }, listener));
  return { address: `https://localhost:${port}`, authority: authority };
}

function askingFor(clients: { readonly authority: string } | undefined): TlsOptions {
  return clients === undefined ? {} : { requestCert: true, rejectUnauthorized: true, ca: clients.authority };
}

async function listen(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A chart as they were written in 2018, for Helm 2: a CRD of v1beta1, a Deployment of apps/v1beta1, and a CRD that is a `crd-install` hook. */
export const LEGACY_CHART: ChartFiles = {
  'Chart.yaml': 'apiVersion: v1\nname: legacy-operator\nversion: 0.0.1\nappVersion: "1.0"\n',
  'values.yaml': 'host: Fill-me\n',
  'templates/operator.yaml': `apiVersion: rbac.authorization.k8s.io/v1beta1
kind: ClusterRoleBinding
metadata:
  name: {{ .Release.Name }}-rbac
subjects:
  - kind: ServiceAccount
    name: default
    namespace: {{ .Release.Namespace }}
roleRef:
  kind: ClusterRole
  name: view
  apiGroup: rbac.authorization.k8s.io
---
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata:
  name: ships.legacy.example.com
spec:
  group: legacy.example.com
  version: v1
  names:
    kind: Ship
    plural: ships
---
apiVersion: apps/v1beta1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  replicas: 1
  template:
    metadata:
      labels:
        app: legacy-operator
    spec:
      containers:
        - name: operator
          image: example.com/operator:1
          env:
            - name: HOST_IP
              value: {{ .Values.host }}
`,
  'templates/hook.yaml': `apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata:
  name: boats.legacy.example.com
  annotations:
    "helm.sh/hook": crd-install
spec:
  group: legacy.example.com
  version: v1
  names:
    kind: Boat
    plural: boats
`,
  'templates/settings.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-settings
data:
  answer: "yes"   # stays text
  clock: "1:30"
  host: {{ .Values.host | quote }}
`,
};
