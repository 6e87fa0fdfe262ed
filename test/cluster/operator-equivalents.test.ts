import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt, objectAt, textAt } from '../../src/domain/core/read.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { repoRoot } from '../support/cluster.ts';
import { copyCacheOperator } from '../support/copy-cache-operator.ts';
import { until } from '../support/product.ts';
import { replaceFile } from '../support/replace-file.ts';
import { sharedProduct, type SharedProduct } from '../support/shared-product.ts';

// Runs in test:all: it runs the commands that pages print.

const run = promisify(execFile);
const NS = 'chandlery-system';
const NAME = `same-${process.pid}`;
const STASHES = { chart: `stash-${process.pid}`, singular: 'stash', plural: 'stashes', group: `equal-${process.pid}.example.com` };
const CRD = `${STASHES.plural}.${STASHES.group}`;
const OPERATOR = `/operators/${NS}/${NAME}`;
const PASSWORD = `it's "$(id)": {{ x }}\n# two lines`;
/** Texts that a parser of YAML 1.1 takes for something else, and values from a Secret, a ConfigMap and the resource itself. */
const SPEC = {
  name: `${NAME}-release`,
  chart: { repoURL: 'file://samples', name: STASHES.chart, version: '0.1.0' },
  targetNamespace: `${NAME}-target`,
  createNamespace: true,
  valuesFrom: [
    { kind: 'ConfigMap', name: `${NAME}-defaults` },
    { kind: 'Secret', name: `${NAME}-secret`, key: 'note', targetPath: String.raw`podAnnotations.example\.com/note` },
    { kind: 'Secret', name: `${NAME}-absent`, optional: true },
  ],
  values: { replicas: 0, podAnnotations: { on: 'off', time: '1:30', octal: '0777' } },
};

describe('each equivalent of an Operator', { timeout: 500_000 }, () => {
  let product: SharedProduct;
  let folder: string;
  let env: NodeJS.ProcessEnv;
  const admin = async (script: string): Promise<string> => (await run('sh', ['-ec', script], { env: { ...env, AS_ROOT: '1' } })).stdout;
  const shell = async (script: string): Promise<string> => (await run('sh', ['-ec', script], { env, cwd: join(folder, 'files') })).stdout;

  before(async () => {
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-operator-ways-'));
    for (const name of ['bin', 'files']) await mkdir(join(folder, name));
    product = await sharedProduct();
    await copyCacheOperator(product.chartsDir, STASHES);
    const { kubectl = 'kubectl', helm } = await loadTools(repoRoot);
    // What an admin of Chandlery does, and, for helm and for looking, the admin of the cluster.
    const shim = `#!/bin/sh\n[ -n "$AS_ROOT" ] && exec '${kubectl}' "$@"\nexec '${kubectl}' --as oidc:admin --as-group oidc:platform --as-group system:authenticated "$@"\n`;
    await writeFile(join(folder, 'bin', 'kubectl'), shim);
    await writeFile(join(folder, 'bin', 'helm'), `#!/bin/sh\nexec '${helm}' "$@"\n`);
    for (const name of ['kubectl', 'helm']) await chmod(join(folder, 'bin', name), 0o755);
    const PATH = `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`;
    env = { PATH, HOME: folder, KUBECONFIG: product.kubeconfigPath, TOKEN: await product.token('admin'), CHARTS: product.chartsDir };
    const values = 'podLabels: {from: config}\nreplicas: 3\npodAnnotations: {on: "on"}\n';
    await admin(`kubectl create configmap ${NAME}-defaults -n ${NS} --from-literal=values.yaml='${values}'`);
    const note = PASSWORD.replaceAll("'", String.raw`'\''`);
    await admin(`kubectl create secret generic ${NAME}-secret -n ${NS} --from-literal=note='${note}'`);
    await until(async () => (await check(SPEC)).verdict === 'Ready', 'an admin may create it', 120_000);
  });
  after(async () => {
    await product.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const manifest = (spec: object): object => ({
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    metadata: { namespace: NS, name: NAME, annotations: { on: 'off' } },
    spec,
  });
  const check = async (spec: object): Promise<{ readonly verdict: string; readonly commands: unknown; readonly body: unknown }> => {
    const { body } = await product.api('admin', '/operators?dryRun=All', { method: 'POST', body: manifest(spec) });
    return { verdict: textAt(body, 'verdict') ?? '', commands: objectAt(body, 'commands'), body };
  };
  const read = async (): Promise<unknown> => JSON.parse(await admin(`kubectl get kop ${NAME} -n ${NS} -o json`)) as unknown;
  const gone = async (): Promise<void> => {
    await until(async () => (await product.api('admin', OPERATOR)).status === 404, 'it is gone', 60_000);
  };

  it('leaves the same resource: the page, kubectl, curl, and a file for git that a CatalogSource keeps in step', async () => {
    // Nothing is installed meanwhile.
    const spec = { ...SPEC, suspend: true };
    const { commands } = await check(spec);
    const stored = async (): Promise<object> => {
      const object = await read();
      return { spec: objectAt(object, 'spec'), note: textAt(object, 'metadata', 'annotations', 'on') };
    };
    assert.equal((await product.api('admin', '/operators', { method: 'POST', body: manifest(spec) })).status, 201);
    const byApi = await stored();
    assert.partialDeepStrictEqual(byApi, { spec, note: 'off' });
    for (const way of ['kubectl', 'curl']) {
      await product.api('admin', OPERATOR, { method: 'DELETE' });
      await gone();
      await shell(textAt(commands, way) ?? '');
      assert.deepEqual(await stored(), byApi, way);
    }
    await product.api('admin', OPERATOR, { method: 'DELETE' });
    await gone();
    const file = join(product.catalogDir, textAt(commands, 'file') ?? '');
    await replaceFile(file, textAt(commands, 'yaml') ?? '');
    await until(async () => (await product.api('admin', OPERATOR)).status === 200, 'the catalogue has it', 60_000);
    assert.deepEqual(await stored(), byApi, 'file');
    assert.equal(textAt(await read(), 'metadata', 'labels', 'chandlery.dev/source'), 'catalog');
    await rm(file);
    await gone();
  });

  it('installs the same objects with helm, but for labels of ours', async () => {
    const { verdict, commands, body } = await check(SPEC);
    assert.equal(verdict, 'Ready', stringifyJson(objectAt(body, 'findings')));
    const script = textAt(commands, 'helm', 'text') ?? '';
    assert.equal(stringifyJson(body).includes(PASSWORD.slice(-9)), false);
    env = { ...env, AS_ROOT: '1' };
    await shell(script);
    const byHelm = await liveObjects();
    assert.equal(byHelm.size > 4, true);
    const template = objectAt(byHelm.get(`Deployment/${SPEC.name}`), 'spec', 'template', 'metadata');
    assert.deepEqual(objectAt(template, 'annotations')['example.com/note'], PASSWORD);
    assert.deepEqual(
      ['on', 'time', 'octal'].map((name) => objectAt(template, 'annotations')[name]),
      ['off', '1:30', '0777'],
    );
    await shell(`helm uninstall ${SPEC.name} -n ${SPEC.targetNamespace} --wait`);
    await admin(`kubectl delete crd ${CRD}`);

    assert.equal((await product.api('admin', '/operators', { method: 'POST', body: manifest(SPEC) })).status, 201);
    await until(async () => textAt(await read(), 'status', 'status') === 'READY', 'the Operator is installed', 120_000);
    assert.deepEqual(await liveObjects(), byHelm);
    assert.equal((await product.api('admin', OPERATOR, { method: 'DELETE' })).status, 202);
    await gone();
    await admin(`kubectl delete crd ${CRD}`);
  });

  /** What the release made, CRDs included, by kind and name, without what the cluster adds and what Chandlery marks. */
  async function liveObjects(): Promise<Map<string, unknown>> {
    const kinds = 'deployments,serviceaccounts,services,configmaps,roles,rolebindings';
    const inside = `kubectl get ${kinds} -n ${SPEC.targetNamespace} -l app.kubernetes.io/managed-by=Helm -o json`;
    const own = `app.kubernetes.io/managed-by=Helm,app.kubernetes.io/instance=${SPEC.name}`;
    const cluster = `kubectl get clusterroles,clusterrolebindings -l ${own} -o json`;
    const answers = await Promise.all(
      [inside, cluster, `kubectl get crd ${CRD} -o json`].map(async (ask) => JSON.parse(await admin(ask)) as unknown),
    );
    const objects = answers.flatMap((answer) => (textAt(answer, 'kind') === 'List' ? listAt(answer, 'items') : [answer]));
    return new Map(objects.map((object) => [`${textAt(object, 'kind')}/${textAt(object, 'metadata', 'name')}`, bare(object)]));
  }
});

function bare(object: unknown): unknown {
  const { status: _status, metadata: _metadata, ...rest } = object as Record<string, unknown>;
  const ours = ([key]: readonly [string, unknown]): boolean =>
    !/^(chandlery\.dev\/|deployment\.kubernetes\.io\/|helm\.sh\/resource-policy$)/.test(key);
  const kept = (part: string): object => Object.fromEntries(Object.entries(objectAt(object, 'metadata', part)).filter(ours));
  return { ...rest, metadata: { name: textAt(object, 'metadata', 'name'), labels: kept('labels'), annotations: kept('annotations') } };
}
