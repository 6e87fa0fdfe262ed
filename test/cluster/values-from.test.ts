import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { CONFIG_MAP, NAMESPACE, OPERATOR, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { operatorView } from '../../src/domain/catalog/operator-view.ts';
import { textAt } from '../../src/domain/core/read.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { chartFiles } from '../support/charts.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { RUN } from '../support/run-name.ts';
import { startOperatorWorld, type OperatorWorld } from '../support/operator-world.ts';

const NS = `values-${RUN}`;
const PASSWORD = 'correct-horse-battery';
const TOKEN = 'tok/en+with=signs&more';
const EVENTS: ResourceType = { group: '', version: 'v1', resource: 'events' };
const seen: string[] = [];
/** Processes that were there before: none of them is a helm of this file. */
let older: ReadonlySet<string> = new Set();
const log: string[] = [];
let testCluster: TestCluster;
let world: OperatorWorld;
let watching: NodeJS.Timeout;

before(async () => {
  testCluster = await sharedCluster();
  const { kubeconfigPath, tools } = testCluster;
  world = await startOperatorWorld({ kubeconfigPath, helm: tools.helm, namespaces: NS, log: (text) => log.push(text) });
  await world.kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NS } });
  older = new Set(await readdir('/proc'));
  watching = setInterval(() => void noteCommands(), 20);
});
after(async () => {
  clearInterval(watching);
  await world.stop();
  await testCluster.stop();
});

describe('values from elsewhere', () => {
  it('are laid over one another in their order, spec.values on top, and a changed Secret upgrades the release', async () => {
    await world.writeChart('mix', chartFiles('mix', '1.0.0', { 'templates/a.yaml': ECHO }));
    await put(CONFIG_MAP, 'ConfigMap', 'base', { 'values.yaml': 'a: from-map\nb: from-map\nc: from-map\n' });
    await put(SECRET, 'Secret', 'db', { password: PASSWORD, 'values.yaml': `b: from-secret\ntoken: "${TOKEN}"\n` });
    await world.create(NS, 'mix', {
      ...chart('mix'),
      values: { c: 'from-spec' },
      valuesFrom: [
        { kind: 'ConfigMap', name: 'base' },
        { kind: 'Secret', name: 'db' },
        { kind: 'Secret', name: 'db', key: 'password', targetPath: 'auth.password' },
        { kind: 'Secret', name: 'absent', optional: true },
      ],
    });
    await world.condition(NS, 'mix', { type: 'Ready', status: 'True' });
    assert.deepEqual(await echo('mix'), { a: 'from-map', b: 'from-secret', c: 'from-spec', password: PASSWORD });
    assert.deepEqual((await world.status(NS, 'mix')).values, [
      { path: 'a', origin: 'ConfigMap base key values.yaml' },
      { path: 'auth.password', origin: 'Secret db key password' },
      { path: 'b', origin: 'Secret db key values.yaml' },
      { path: 'c', origin: 'spec.values' },
      { path: 'token', origin: 'Secret db key values.yaml' },
    ]);
    await put(SECRET, 'Secret', 'db', { password: `${PASSWORD}-2`, 'values.yaml': 'b: again\n' });
    await ask('mix');
    await eventually(async () => (await echo('mix'))['b'] === 'again', 'the new values are installed', 60);
    assert.equal((await echo('mix'))['password'], `${PASSWORD}-2`);
    await eventually(async () => (await world.status(NS, 'mix')).release?.revision === 2, 'the second revision is reported');
  });

  it('that are missing are named with object and key, and the Operator goes on once they are there', async () => {
    await world.writeChart('late', chartFiles('late', '1.0.0', { 'templates/a.yaml': ECHO }));
    await world.create(NS, 'late', { ...chart('late'), valuesFrom: [{ kind: 'Secret', name: 'soon', key: 'pw', targetPath: 'a' }] });
    const missing = await world.condition(NS, 'late', { type: 'Released', status: 'False', reason: 'ValuesInvalid' });
    assert.match(missing.message, new RegExp(`Secret "${NS}/soon": it does not exist`));
    await put(SECRET, 'Secret', 'soon', { other: PASSWORD });
    await ask('late');
    await eventually(
      async () => findCondition((await world.status(NS, 'late')).conditions, 'Released')?.message.includes('it has no key "pw"'),
      'the key is named',
    );
    await put(SECRET, 'Secret', 'soon', { pw: PASSWORD });
    await ask('late');
    await world.condition(NS, 'late', { type: 'Ready', status: 'True' });
  });

  it('that are no map are rejected without being quoted', async () => {
    await world.writeChart('odd', chartFiles('odd', '1.0.0', { 'templates/a.yaml': ECHO }));
    await put(SECRET, 'Secret', 'odd', { 'values.yaml': `a: [${PASSWORD}` });
    await world.create(NS, 'odd', { ...chart('odd'), valuesFrom: [{ kind: 'Secret', name: 'odd' }] });
    const rejected = await world.condition(NS, 'odd', { type: 'Released', status: 'False', reason: 'ValuesInvalid' });
    assert.match(rejected.message, /key "values\.yaml" is not YAML \(line/);
  });

  it('of a chart that shouts them out when it fails are nowhere to be read', async () => {
    await world.writeChart(
      'loud',
      chartFiles('loud', '1.0.0', { 'templates/a.yaml': '{{ fail (printf "bad %s %s" .Values.p (b64enc .Values.p)) }}\n' }),
    );
    await put(SECRET, 'Secret', 'loud', { p: PASSWORD });
    await world.create(NS, 'loud', { ...chart('loud'), valuesFrom: [{ kind: 'Secret', name: 'loud', key: 'p', targetPath: 'p' }] });
    const failed = await world.condition(NS, 'loud', { type: 'Released', status: 'False', reason: 'RenderFailed' });
    assert.match(failed.message, /a\.yaml:1:3\): the message of the chart repeats a value of a Secret/);

    const cluster = world.kube.asController();
    const operators = (await cluster.list(OPERATOR, { namespace: NS })).items;
    const events = (await cluster.list(EVENTS, { namespace: NS })).items;
    const records = (await cluster.listMetadata(SECRET, { namespace: NS })).items;
    const everything = {
      'status and spec': stringifyJson(operators),
      pages: stringifyJson(operators.map(operatorView)),
      events: stringifyJson(events),
      'labels of records': stringifyJson(records),
      log: log.join(''),
      'process arguments': seen.join('\n'),
    };
    assert.ok(operators.length === 4 && events.length > 0 && everything.log.includes('helm has run'));
    assert.ok(everything['process arguments'].includes('--values'), 'helm was seen at work');
    for (const [place, text] of Object.entries(everything)) {
      for (const spelling of spellingsOf(PASSWORD, TOKEN)) assert.ok(!text.includes(spelling), `${spelling} in ${place}`);
    }
  });
});

const ECHO = `apiVersion: v1
kind: Secret
metadata: {name: "{{ .Release.Name }}-echo"}
stringData:
  a: {{ .Values.a | default "" | quote }}
  b: {{ .Values.b | default "" | quote }}
  c: {{ .Values.c | default "" | quote }}
  password: {{ dig "auth" "password" "" (.Values | merge (dict)) | quote }}
`;

function chart(name: string): { chart: object } {
  return { chart: { repoURL: 'file://samples', name, version: '1.0.0' } };
}

async function put(type: ResourceType, kind: string, name: string, texts: Readonly<Record<string, string>>): Promise<void> {
  const data = kind === 'Secret' ? { stringData: texts } : { data: texts };
  const object: KubeObject = { apiVersion: 'v1', kind, metadata: { name, namespace: NS }, ...data };
  const cluster = world.kube.asController();
  await cluster.delete({ ...type, namespace: NS, name }).catch(() => undefined);
  await cluster.create(type, object);
}

async function ask(name: string): Promise<void> {
  const body = { metadata: { annotations: { 'chandlery.dev/reconcile-at': String(performance.now()) } } };
  await world.kube.asController().patch({ ...OPERATOR, namespace: NS, name }, { type: 'merge', body });
}

async function echo(release: string): Promise<Record<string, string>> {
  const secret = await world.kube.asController().get({ ...SECRET, namespace: NS, name: `${release}-echo` });
  return Object.fromEntries(
    ['a', 'b', 'c', 'password'].map((key) => [key, Buffer.from(textAt(secret, 'data', key) ?? '', 'base64').toString()]),
  );
}

function spellingsOf(...secrets: readonly string[]): string[] {
  return secrets.flatMap((secret) => [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)]);
}

/** What every process of the machine was started with, helm among them. */
async function noteCommands(): Promise<void> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && !older.has(name));
  const texts = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  seen.push(...texts.filter((text) => text.includes('helm') && !seen.includes(text)));
}
