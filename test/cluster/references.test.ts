import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CONFIG_MAP, NAMESPACE, OPERATOR, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { systemClock, type Clock } from '../../src/controller/clock.ts';
import { textAt } from '../../src/domain/core/read.ts';
import type { ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { chartFiles } from '../support/charts.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { RUN } from '../support/run-name.ts';
import { startOperatorWorld, type OperatorWorld } from '../support/operator-world.ts';

const NS = `refs-${RUN}`;
/** Nothing is looked at again because time went by: what happens, happens because something changed. */
const withoutPolls: Clock = {
  now: systemClock.now,
  after: (milliseconds, act) => (milliseconds >= 1_900 ? () => undefined : systemClock.after(milliseconds, act)),
};
let testCluster: TestCluster;
let world: OperatorWorld;

before(async () => {
  testCluster = await sharedCluster();
  const { kubeconfigPath, tools } = testCluster;
  world = await startOperatorWorld({ kubeconfigPath, helm: tools.helm, namespaces: NS, clock: withoutPolls });
  await world.kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NS } });
});
after(async () => {
  await world.stop();
  await testCluster.stop();
});

describe('an Operator that nobody looks at because time went by', () => {
  it('is upgraded when a Secret or a ConfigMap that it takes values from changes', async () => {
    await create(CONFIG_MAP, 'ConfigMap', 'base', { data: { 'values.yaml': 'b: one\n' } });
    await create(SECRET, 'Secret', 'db', { stringData: { password: 'first' } });
    await install('mix', [
      { kind: 'ConfigMap', name: 'base' },
      { kind: 'Secret', name: 'db', key: 'password', targetPath: 'a' },
    ]);
    await world.condition(NS, 'mix', { type: 'Ready', status: 'True' });
    assert.deepEqual(await echo('mix'), ['first', 'one']);
    await merge(SECRET, 'db', { stringData: { password: 'second' } });
    await eventually(async () => (await echo('mix')).join() === 'second,one', 'the new password is installed');
    await merge(CONFIG_MAP, 'base', { data: { 'values.yaml': 'b: two\n' } });
    await eventually(async () => (await echo('mix')).join() === 'second,two', 'the new values are installed');
  });

  it('goes on when what was missing is there, however long it would have waited, and fails when it goes', async () => {
    await install('late', [{ kind: 'Secret', name: 'soon', key: 'pw', targetPath: 'a' }]);
    await world.condition(NS, 'late', { type: 'Released', status: 'False', reason: 'ValuesInvalid' });
    await create(SECRET, 'Secret', 'soon', { stringData: { other: 'x' } });
    await eventually(async () => (await world.status(NS, 'late')).failures === 2, 'it is tried again');
    await merge(SECRET, 'soon', { stringData: { pw: 'here' } });
    await world.condition(NS, 'late', { type: 'Ready', status: 'True' });
    await world.kube.asController().delete({ ...SECRET, namespace: NS, name: 'soon' });
    await world.condition(NS, 'late', { type: 'Released', status: 'False', reason: 'ValuesInvalid' });
  });

  it('takes notice of a reference that its spec got later', async () => {
    await create(CONFIG_MAP, 'ConfigMap', 'later', { data: { 'values.yaml': 'a: one\n' } });
    await install('grown', []);
    await world.condition(NS, 'grown', { type: 'Ready', status: 'True' });
    const body = { spec: { valuesFrom: [{ kind: 'ConfigMap', name: 'later' }] } };
    await world.kube.asController().patch({ ...OPERATOR, namespace: NS, name: 'grown' }, { type: 'merge', body });
    await eventually(async () => (await echo('grown'))[0] === 'one', 'the first values are installed');
    await merge(CONFIG_MAP, 'later', { data: { 'values.yaml': 'a: two\n' } });
    await eventually(async () => (await echo('grown'))[0] === 'two', 'the second values are installed');
  });
});

const ECHO = `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}-echo"}
data: {a: {{ .Values.a | default "" | quote }}, b: {{ .Values.b | default "" | quote }}}
`;

async function install(name: string, valuesFrom: readonly object[]): Promise<void> {
  await world.writeChart(name, chartFiles(name, '1.0.0', { 'templates/a.yaml': ECHO }));
  await world.create(NS, name, { chart: { repoURL: 'file://samples', name, version: '1.0.0' }, valuesFrom });
}

async function create(type: ResourceType, kind: string, name: string, content: object): Promise<void> {
  await world.kube.asController().create(type, { apiVersion: 'v1', kind, metadata: { name, namespace: NS }, ...content });
}

async function merge(type: ResourceType, name: string, body: Readonly<Record<string, unknown>>): Promise<void> {
  await world.kube.asController().patch({ ...type, namespace: NS, name }, { type: 'merge', body });
}

async function echo(release: string): Promise<string[]> {
  const made = await world.kube.asController().get({ ...CONFIG_MAP, namespace: NS, name: `${release}-echo` });
  return ['a', 'b'].map((key) => textAt(made, 'data', key) ?? '');
}
