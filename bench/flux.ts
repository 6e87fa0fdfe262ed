import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { at, textAt } from '../src/domain/core/read.ts';
import { findCondition, conditionsOf } from '../src/domain/kubernetes/condition.ts';
import type { Cluster } from '../src/domain/kubernetes/cluster.ts';
import { parseManifest } from '../src/domain/kubernetes/manifest.ts';
import type { KubeObject } from '../src/domain/kubernetes/resource.ts';
import { CRD } from '../src/domain/kubernetes/resource-types.ts';
import { repoRoot } from '../test/support/cluster.ts';

/** Flux's kustomize-controller, built from its Go module, on a cluster of ours. It gets its artifacts from us in the place of source-controller. */
export interface Flux {
  /** Has it apply a folder, as the next revision of a Kustomization of this name, and waits until it is Ready. */
  apply(name: string, folder: string): Promise<void>;
  /** Asks it to look again at what it has, and waits until it did. */
  lookAgain(name: string): Promise<void>;
  /** Of the controller alone, since its start. */
  cpuSeconds(): Promise<number>;
  stop(): Promise<void>;
}

const MODULE = 'github.com/fluxcd/kustomize-controller';
const NAMESPACE = 'default';
const SOURCE_GROUP = 'source.toolkit.fluxcd.io';
const GIT_REPOSITORY = { group: SOURCE_GROUP, version: 'v1', resource: 'gitrepositories', namespace: NAMESPACE };
const KUSTOMIZATION = { group: 'kustomize.toolkit.fluxcd.io', version: 'v1', resource: 'kustomizations', namespace: NAMESPACE };
/** What the controller watches besides. */
const SOURCES = { GitRepository: 'gitrepositories', OCIRepository: 'ocirepositories', Bucket: 'buckets' };
const REQUESTED = 'reconcile.fluxcd.io/requestedAt';
const LOOK_MS = 20;
const FLAGS = ['--metrics-addr=0', '--health-addr=0', '--log-level=error', '--feature-gates=ExternalArtifact=false'];

export async function startFlux(
  cluster: Cluster,
  { kubeconfigPath, stateDir }: { readonly kubeconfigPath: string; readonly stateDir: string },
): Promise<Flux> {
  const goFolder = join(import.meta.dirname, 'kustomize-controller');
  const program = await build(goFolder);
  await applyCrds(cluster, goFolder);
  const files = new Map<string, Buffer>();
  const server = createServer((request, response) => void response.end(files.get(request.url ?? '')));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const child = execa(program, FLAGS, {
    env: { KUBECONFIG: kubeconfigPath, RUNTIME_NAMESPACE: NAMESPACE },
    reject: false,
    stdin: 'ignore',
    stdout: { file: join(stateDir, 'flux.log') },
    stderr: { file: join(stateDir, 'flux.log') },
  });

  const offer = async (name: string, folder: string): Promise<string> => {
    const { stdout: packed } = await execa('tar', ['-czf', '-', '-C', folder, '.'], { encoding: 'buffer' });
    const hash = createHash('sha256').update(packed).digest('hex');
    const path = `/${name}/${hash}.tar.gz`;
    files.set(path, Buffer.from(packed));
    const [digest, revision] = [`sha256:${hash}`, `main@sha1:${hash.slice(0, 40)}`];
    const artifact = { path, url: `${address}${path}`, digest, revision, size: packed.length, lastUpdateTime: new Date().toISOString() };
    const ready = { type: 'Ready', status: 'True', reason: 'Succeeded', message: 'stored', lastTransitionTime: artifact.lastUpdateTime };
    const body = { status: { artifact, conditions: [ready], observedGeneration: 1 } };
    await cluster.patch({ ...GIT_REPOSITORY, name }, { type: 'merge', body }, { subresource: 'status' });
    return revision;
  };
  const reached = async (name: string, isReached: (kustomization: KubeObject) => boolean): Promise<void> => {
    for (;;) {
      const live = await cluster.get({ ...KUSTOMIZATION, name });
      const ready = findCondition(conditionsOf(live), 'Ready');
      if (ready?.status === 'False' && ready.reason !== 'ArtifactFailed') throw new Error(`kustomize-controller: ${ready.message}`);
      if (ready?.status === 'True' && isReached(live)) return;
      await sleep(LOOK_MS);
    }
  };
  return {
    apply: async (name, folder) => {
      const metadata = { name, namespace: NAMESPACE };
      const isNew = !files.keys().some((path) => path.startsWith(`/${name}/`));
      if (isNew) await cluster.create(GIT_REPOSITORY, { apiVersion: `${SOURCE_GROUP}/v1`, kind: 'GitRepository', metadata, spec: {} });
      const revision = await offer(name, folder);
      const spec = { interval: '1h', prune: true, wait: false, path: './', sourceRef: { kind: 'GitRepository', name } };
      if (isNew) await cluster.create(KUSTOMIZATION, { apiVersion: `${KUSTOMIZATION.group}/v1`, kind: 'Kustomization', metadata, spec });
      await reached(name, ({ status }) => textAt(status, 'lastAppliedRevision') === revision);
    },
    lookAgain: async (name) => {
      const now = String(performance.now());
      await cluster.patch({ ...KUSTOMIZATION, name }, { type: 'merge', body: { metadata: { annotations: { [REQUESTED]: now } } } });
      await reached(name, ({ status }) => at(status, 'lastHandledReconcileAt') === now);
    },
    cpuSeconds: async () => {
      const [, , , , , , , , , , , user = '0', system = '0'] = (await readFile(`/proc/${child.pid}/stat`, 'utf8'))
        .replace(/^.*\) /, '')
        .split(' ');
      return (Number(user) + Number(system)) / 100;
    },
    stop: async () => {
      child.kill();
      await child;
      server.close();
    },
  };
}

/** Built from a go.mod of its own; Go keeps what it has compiled. */
async function build(cwd: string): Promise<string> {
  const folder = join(repoRoot, 'node_modules', '.cache', 'chandlery', 'bench');
  await mkdir(folder, { recursive: true });
  const program = join(folder, 'kustomize-controller');
  await execa('go', ['build', '-mod=readonly', '-trimpath', '-o', program, MODULE], { cwd, env: { CGO_ENABLED: '0', GOWORK: 'off' } });
  return program;
}

/** Its own CRD, and those of its sources without their schemas. */
async function applyCrds(cluster: Cluster, cwd: string): Promise<void> {
  const { stdout } = await execa('go', ['list', '-mod=readonly', '-m', '-f', '{{.Dir}}', MODULE], { cwd });
  const folder = join(stdout.trim(), 'config', 'crd', 'bases');
  const texts = await Promise.all((await readdir(folder)).map(async (file) => await readFile(join(folder, file), 'utf8')));
  const sources = Object.entries(SOURCES).map(([kind, plural]): KubeObject => {
    const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {} } }];
    const spec = { group: SOURCE_GROUP, names: { kind, plural }, scope: 'Namespaced', versions };
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${SOURCE_GROUP}` },
      spec,
    };
  });
  for (const crd of [...texts.flatMap(parseManifest), ...sources]) await cluster.create(CRD, crd);
}
