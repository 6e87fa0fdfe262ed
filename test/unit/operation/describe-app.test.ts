import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../src/domain/core/errors.ts';
import type { Cluster } from '../../../src/domain/kubernetes/cluster.ts';
import type { KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { showManual } from '../../../src/operation/app/describe-app.ts';
import { explanationText, manualText } from '../../../src/operation/app/description-text.ts';
import { explainApp, type Explanation } from '../../../src/operation/app/explain-app.ts';

const NONE: readonly KubeObject[] = [];
const operator: KubeObject = {
  apiVersion: 'operatorcontroller.kubeplus/v1',
  kind: 'Operator',
  metadata: { name: 'cache', namespace: 'ops' },
  spec: {
    catalog: {
      kinds: [
        {
          kind: 'Cache',
          connection: [
            { name: 'password', description: 'Of the admin.', secretKeyRef: { name: '{name}-app', key: 'password' } },
            { name: 'host', serviceRef: { name: '{name}-rw', port: { name: 'redis' } } },
            { name: 'port', fieldPath: 'spec.port' },
          ],
        },
      ],
    },
  },
  status: { status: 'READY' },
};
const SPEC = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, description: 'How many. Never zero.' },
    tier: { type: 'string', enum: ['small', 'large'], default: 'small' },
    adminPassword: { type: 'string', default: 'hunter2' },
    users: {
      type: 'array',
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, quota: { type: 'integer' } } },
    },
    limits: { type: 'object', additionalProperties: { type: 'object', properties: { cpu: { type: 'string' } } } },
  },
};
const crdWith = (annotations: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'caches.a.example', labels: { 'chandlery.dev/operator': 'ops.cache' }, annotations },
  spec: {
    group: 'a.example',
    scope: 'Namespaced',
    names: { kind: 'Cache', plural: 'caches' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec: SPEC } } } }],
  },
});
const actor = { user: 'oidc:dev-a', groups: ['oidc:team-a'] };

/** The answer of the api-server to whoever reads the ConfigMap. */
type ConfigMap = () => KubeObject;

function portsOf(annotations: Readonly<Record<string, string>>, configMap?: ConfigMap): Parameters<typeof showManual>[0] {
  const get: Pick<Cluster, 'get'>['get'] = async () => configMap?.() ?? assert.fail('nothing is read');
  return {
    catalog: {
      operators: () => [operator],
      customResourceDefinitions: () => [crdWith(annotations)],
      environments: () => NONE,
      catalogSources: () => NONE,
      appDefinitions: () => NONE,
    },
    chart: async () => await Promise.resolve(undefined),
    clusters: { asActor: () => ({ get }) as unknown as Cluster } as unknown as Parameters<typeof showManual>[0]['clusters'],
  };
}

const explain = async (field: string, depth?: 'All'): Promise<Explanation> =>
  await explainApp(portsOf({}), actor, { kind: 'cache', group: '', field, environment: '', ...(depth === undefined ? {} : { depth }) });

describe('a field of an app', () => {
  it('has its type, default, rules and what is below it', async () => {
    const size = await explain('spec.size');
    assert.deepEqual(
      [size.field, size.type, size.required, size.rules, size.description],
      ['spec.size', 'integer', true, ['minimum=1'], 'How many. Never zero.'],
    );
    assert.deepEqual((await explain('spec.tier')).rules, ['one of small|large']);
    const users = await explain('spec.users');
    assert.deepEqual(
      [users.type, users.fields.map(({ field }) => field)],
      ['list of object', ['spec.users[*].name', 'spec.users[*].quota']],
    );
  });

  it('is found with and without the rows of lists and maps', async () => {
    for (const field of ['spec.users.name', 'spec.users[0].name', 'spec.users[*].name', 'spec.users.*.name']) {
      assert.equal((await explain(field)).field, 'spec.users[*].name', field);
    }
    for (const field of ['spec.limits.cpu', 'spec.limits.web.cpu', 'spec.limits["a.b/c"].cpu']) {
      assert.equal((await explain(field)).field, 'spec.limits[*].cpu', field);
    }
  });

  it('is the resource itself without a path, with all fields where they are asked for', async () => {
    assert.deepEqual(
      (await explain('')).fields.map(({ field }) => field),
      ['spec', 'metadata'],
    );
    assert.ok((await explain('', 'All')).fields.some(({ field }) => field === 'spec.users[*].name'));
  });

  it('that does not exist is answered with the fields that do, and a text that is no path is rejected', async () => {
    await assert.rejects(explain('spec.nope.x'), { code: 'NotFound', message: /no field spec\.nope\.x; there are spec\.size, spec\.tier/ });
    await assert.rejects(explain('spec..x['), { code: 'InvalidInput' });
  });

  it('never says the default of a secret', async () => {
    assert.ok(!explanationText(await explain('spec', 'All')).includes('hunter2'));
    assert.match(
      explanationText(await explain('spec.size')),
      /^FIELD: {3}spec\.size <integer>\nDEFAULT: <none>\nRULES: {3}required\n {9}minimum=1\n/m,
    );
  });
});

describe('the manual page of an app', () => {
  const usage = { 'resource/usage': 'ops.cache-usage.text' };
  const query = { kind: 'caches', group: '' };

  it('has the usage text of the ConfigMap that its CRD names, read as whoever asks', async () => {
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cache-usage' }, data: { text: 'Begin small.\u001b[2J' } };
    const manual = await showManual(
      portsOf(usage, () => configMap),
      actor,
      query,
    );
    assert.deepEqual(manual.kindUsage?.configMap, { name: 'ops/cache-usage', key: 'text' });
    const text = manualText(manual);
    assert.match(text, /^USAGE\n {4}Begin small\./m);
    assert.ok(!text.includes('\u001b'));
    assert.match(text, /^FIELDS\n {4}spec\.size <integer> required, minimum=1\n/m);
  });

  it('says why there is no text where the person may not read it, or it is not there', async () => {
    const forbidden = (): never => {
      throw new AppError('Forbidden', 'configmaps "cache-usage" is forbidden');
    };
    assert.match(
      manualText(await showManual(portsOf(usage, forbidden), actor, query)),
      /ops\/cache-usage, key text: you may not read the ConfigMap/,
    );
    const empty = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cache-usage' } };
    assert.match(
      manualText(
        await showManual(
          portsOf(usage, () => empty),
          actor,
          query,
        ),
      ),
      /has no key "text"/,
    );
  });

  it('has the outputs that other instances can take, and where they come from', async () => {
    const { outputs } = await showManual(portsOf({}), actor, query);
    assert.deepEqual(
      outputs.map(({ name, source, from }) => [name, source, from]),
      [
        ['password', 'Secret', '{name}-app, key password'],
        ['host', 'Service', '{name}-rw, port redis'],
        ['port', 'Field', 'spec.port'],
      ],
    );
    const text = manualText(await showManual(portsOf({}), actor, query));
    assert.match(text, /^OUTPUTS\n {4}password <Secret> \{name\}-app, key password\n {8}Of the admin\.$/m);
  });

  it('has what its CRD declares, and the faults of that', async () => {
    const declared = { 'resource/composition': 'StatefulSet, Service', 'resource/label-relationship': 'nonsense' };
    const text = manualText(await showManual(portsOf(declared), actor, query));
    assert.match(text, /^COMPOSITION\n {4}StatefulSet, Service$/m);
    assert.match(text, /^FAULTS\n {4}resource\/label-relationship: "nonsense" is not known/m);
  });
});
