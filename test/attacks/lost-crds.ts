import assert from 'node:assert/strict';
import { join } from 'node:path';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, listAt, numberAt, textAt } from '../../src/domain/core/read.ts';
import { chartFiles, writeFiles } from '../support/charts.ts';
import { eventually } from '../support/eventually.ts';
import { replaceFile } from '../support/replace-file.ts';
import type { Attack } from './attack.ts';
import { deleteCrd } from './delete-crd.ts';
import { ATTACKED } from './people.ts';
import type { Target } from './target.ts';

// What happens to everything that stands on our CRDs when one of them is deleted or changed. It comes back without a restart.

const DOOMED = 'doomed';
const ENVIRONMENTS = 'environments.chandlery.dev';
const OPERATORS = 'operators.operatorcontroller.kubeplus';
const SOURCES = 'catalogsources.chandlery.dev';
const BOATS = 'boats.lost.example.com';
const VALUABLES = `configmap/valuables`;
/** A finalizer that keeps a CRD until readiness has told that it is being deleted. */
const HELD = 'lost.example.com/held';

/** What must be the same afterwards. */
const LASTING = [`namespace/${ATTACKED}`, `namespace/${DOOMED}`, `crd/${BOATS}`];

export const attacks: readonly Attack[] = [
  {
    title: 'the CRD of Environments is deleted, and with it the namespaces of those that are reclaimed by Delete',
    run: async (target) => {
      await stock(target);
      await loses(target, ENVIRONMENTS);
      await eventually(async () => (await readyOf(target, 'environment', DOOMED)) === 'True', 'the environment is back', 60);
      await eventually(
        async () => (await target.kubectl('developer', ['get', 'configmaps', '-n', ATTACKED])).exitCode === 0,
        'developers have their permissions back',
      );
    },
  },
  {
    title: 'the CRD of Operators is deleted, and with it the releases, CRDs and instances of those that cascade',
    run: async (target) => {
      await loses(target, OPERATORS);
      await eventually(async () => (await readyOf(target, 'kop', 'lost')) === 'True', 'the Operator is back', 60);
      const operator = await read(target, ['get', 'kop', 'lost', '-n', 'default']);
      assert.equal(numberAt(operator, 'status', 'release', 'revision'), 1, 'the release was made anew');
    },
  },
  {
    title: 'the CRD of CatalogSources is deleted, and with it everything that the catalogue brought',
    run: async (target) => {
      const [environment, operator] = [
        ['environment', DOOMED],
        ['kop', 'lost', '-n', 'default'],
      ] as const;
      const uids = [await uidOf(target, environment), await uidOf(target, operator)];
      await loses(target, SOURCES);
      await eventually(async () => (await readyOf(target, 'catalogsource', 'catalog')) === 'True', 'the source is back', 60);
      assert.deepEqual([await uidOf(target, environment), await uidOf(target, operator)], uids);
      const { status } = (await read(target, ['get', 'catalogsource', 'catalog'])) as { status?: unknown };
      assert.ok(listAt(status, 'inventory').some((item) => textAt(item, 'name') === DOOMED));
    },
  },
  {
    title: 'somebody changes CRDs of ours: a schema that loses everything, a version that is not served, a conversion webhook',
    run: async (target) => {
      const webhook = { clientConfig: { url: 'https://evil.example.com/convert' }, conversionReviewVersions: ['v1'] };
      const changes: readonly [string, unknown][] = [
        ['/spec/versions/0/schema/openAPIV3Schema', { type: 'object' }],
        ['/spec/conversion', { strategy: 'Webhook', webhook }],
        ['/spec/names/categories', ['all']],
      ];
      const specOf = async (): Promise<unknown> => at(await read(target, ['get', 'crd', ENVIRONMENTS]), 'spec');
      const before = await specOf();
      for (const [path, value] of changes) {
        const patch = stringifyJson([{ op: 'add', path, value }]);
        const { exitCode, stderr } = await target.kubectl('root', ['patch', 'crd', ENVIRONMENTS, '--type=json', '-p', patch]);
        assert.equal(exitCode, 0, stderr);
        await eventually(async () => stringifyJson(await specOf()) === stringifyJson(before), `${path} is restored`);
      }
      await eventually(async () => (await target.call('anonymous', '/readyz')).status === 200, 'it is ready');
      assert.equal(await readyOf(target, 'environment', DOOMED), 'True');
      await target.kubectl('root', ['delete', 'kop', 'lost', '-n', 'default', '--wait=false']);
      return changes.length;
    },
  },
];

/** Brings an Environment and an Operator by the catalogue whose ends would be the worst, and something to lose. */
async function stock(target: Target): Promise<void> {
  const environment = {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'Environment',
    metadata: { name: DOOMED },
    spec: { reclaim: 'Delete' },
  };
  const chart = { repoURL: 'file://attacks', name: 'lost', version: '1.0.0' };
  const operator = {
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    metadata: { name: 'lost', namespace: 'default' },
    spec: { chart, deletionPolicy: 'Cascade' },
  };
  const versions = [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    },
  ];
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: BOATS },
    spec: { group: 'lost.example.com', scope: 'Namespaced', names: { plural: 'boats', kind: 'Boat' }, versions },
  };
  await writeFiles(join(target.chartsDir, 'lost'), chartFiles('lost', '1.0.0', { 'crds/boats.yaml': JSON.stringify(crd) }));
  await replaceFile(join(target.catalogDir, 'lost.yaml'), `${JSON.stringify(environment)}\n---\n${JSON.stringify(operator)}\n`);
  await eventually(async () => (await readyOf(target, 'environment', DOOMED)) === 'True', 'the environment is there');
  await eventually(async () => (await readyOf(target, 'kop', 'lost')) === 'True', 'the Operator is there', 60);
  for (const namespace of [DOOMED, ATTACKED]) await target.kubectl('root', ['create', 'configmap', 'valuables', '-n', namespace]);
  const boat = { apiVersion: 'lost.example.com/v1', kind: 'Boat', metadata: { name: 'mine', namespace: DOOMED } };
  await eventually(async () => (await target.kubectl('root', ['create', '-f', '-'], JSON.stringify(boat))).exitCode === 0, 'an instance');
}

/** Deletes a CRD of ours, sees that readiness tells, and that all that must last is the same as soon as the product is ready again. */
async function loses(target: Target, crd: string): Promise<void> {
  const before = await Promise.all(LASTING.map((what) => uidOf(target, [what])));
  const old = await uidOf(target, [`crd/${crd}`]);
  await change(target, ['patch', 'crd', crd, '--type=merge', '-p', stringifyJson({ metadata: { finalizers: [HELD] } })]);
  try {
    await deleteCrd(target, crd, ['--wait=false']);
    await eventually(async () => await isReportedLost(target, crd), `/readyz says that ${crd} is lost`);
  } finally {
    // The finalizer by which Kubernetes deletes the objects stands behind it.
    const path = '/metadata/finalizers/0';
    const release = [
      { op: 'test', path, value: HELD },
      { op: 'remove', path },
    ];
    await change(target, ['patch', 'crd', crd, '--type=json', '-p', stringifyJson(release)]);
  }
  await eventually(async () => ![old, ''].includes(await uidOf(target, [`crd/${crd}`])), `${crd} is made anew`);
  await eventually(async () => (await target.call('anonymous', '/readyz')).status === 200, 'the product is ready again', 60);
  assert.deepEqual(await Promise.all(LASTING.map((what) => uidOf(target, [what]))), before);
  for (const namespace of [DOOMED, ATTACKED]) assert.notEqual(await uidOf(target, [VALUABLES, '-n', namespace]), '', `in ${namespace}`);
  assert.notEqual(await uidOf(target, [`boats.lost.example.com/mine`, '-n', DOOMED]), '', 'the instance');
}

async function change(target: Target, args: readonly string[]): Promise<void> {
  const { exitCode, stderr } = await target.kubectl('root', args);
  assert.equal(exitCode, 0, stderr);
}

async function isReportedLost(target: Target, crd: string): Promise<boolean> {
  const { status, text } = await target.call('anonymous', '/readyz');
  return status === 503 && text.includes(`the CRD ${crd} is being restored`);
}

async function readyOf(target: Target, kind: string, name: string): Promise<string | undefined> {
  const { stdout } = await target.kubectl('root', ['get', kind, name, '-n', 'default', '-o', 'json']);
  if (stdout === '') return undefined;
  const conditions = listAt(JSON.parse(stdout), 'status', 'conditions');
  return textAt(
    conditions.find((condition) => textAt(condition, 'type') === 'Ready'),
    'status',
  );
}

async function read(target: Target, args: readonly string[]): Promise<unknown> {
  const { stdout, stderr } = await target.kubectl('root', [...args, '-o', 'json']);
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout);
}

/** Empty when it is not there. */
async function uidOf(target: Target, what: readonly string[]): Promise<string> {
  return (await target.kubectl('root', ['get', ...what, '-o', 'jsonpath={.metadata.uid}', '--ignore-not-found'])).stdout;
}
