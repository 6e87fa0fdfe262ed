import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../../src/domain/core/errors.ts';
import { dedicatedNamespaceName } from '../../../../src/domain/app-instance/instance.ts';
import { instanceSpec } from '../../../../src/domain/app-instance/instance-kind.ts';
import type { KubeObject, ResourceRef } from '../../../../src/domain/kubernetes/resource.ts';
import type { Reference } from '../../../../src/reconcile/helm-release/watch-references.ts';
import type { SourceApp } from '../../../../src/reconcile/instance/ports.ts';
import { resolveOutputs } from '../../../../src/reconcile/instance/resolve-outputs.ts';
import type { Work } from '../../../../src/reconcile/instance/work.ts';

const GROUP = 'apps.chandlery.dev';
const WEB: SourceApp = {
  group: GROUP,
  version: 'v1alpha1',
  resource: 'webs',
  kind: 'Web',
  connection: [
    { name: 'host', description: '', value: '{name}.{namespace}.svc' },
    { name: 'token', description: '', fieldPath: 'spec.values.token' },
    { name: 'password', description: '', secretKeyRef: { name: 'web-{name}', key: 'password' } },
    { name: 'address', description: '', serviceRef: { name: 'web-{name}' } },
  ],
  sensitive: [],
};

function web(name: string, outputs: readonly string[] = [], ready: 'True' | 'False' = 'True', values = {}): KubeObject {
  const valuesFrom = outputs.map((text) => {
    const [other = '', key = ''] = text.split('.');
    return { kind: 'Web', name: other, key, targetPath: `from.${other}` };
  });
  const conditions = [{ type: 'Ready', status: ready, reason: 'X', message: '', lastTransitionTime: '' }];
  const metadata = { name, namespace: 'team', uid: name, generation: 1 };
  return {
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'Web',
    metadata,
    spec: { values, valuesFrom },
    status: { observedGeneration: 1, conditions },
  };
}

const SECRET: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'web-db', namespace: 'team', uid: 's', resourceVersion: '7' },
  data: { password: Buffer.from('hunter2').toString('base64') },
};
const SERVICE: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web-db', namespace: 'team' },
  spec: { ports: [{ port: 5432 }] },
};

/** The outputs of one of some objects, and what it is known to refer to then. */
async function resolve(instance: KubeObject, objects: readonly KubeObject[]) {
  let references: readonly Reference[] = [];
  const get = async ({ resource, name, namespace }: ResourceRef): Promise<KubeObject> => {
    const found = objects.find(
      ({ kind, metadata }) => `${kind.toLowerCase()}s` === resource && metadata.name === name && metadata.namespace === namespace,
    );
    if (found === undefined) throw new AppError('NotFound', `${resource} ${name}`);
    return found;
  };
  /** The deployer of a namespace may read that one alone. */
  const asDeployer = ({ namespace: own }: { readonly namespace: string }) => ({
    cluster: {
      get: async (ref: ResourceRef): Promise<KubeObject> => {
        if (ref.namespace !== own) throw new AppError('Forbidden', `${ref.resource} of ${ref.namespace}, asked as the deployer of ${own}`);
        return await get(ref);
      },
    },
  });
  const ports = {
    asDeployer,
    appOf: ({ kind, group }: { readonly kind: string; readonly group: string }) => (kind === 'Web' && group === GROUP ? WEB : undefined),
    references: { remember: (_key: string, known: readonly Reference[]) => void (references = known) },
  };
  const spec = instanceSpec.read(instance.spec);
  const work = {
    ports,
    kind: WEB,
    instance,
    namespace: 'team',
    spec,
    key: 'webs/team/a',
    sources: asDeployer({ namespace: 'team' }).cluster,
  };
  const resolved = await resolveOutputs(work as unknown as Work);
  return { resolved, references: references.map(({ type, namespace, name }) => `${type.resource} ${namespace}/${name}`) };
}

function message({ resolved }: Awaited<ReturnType<typeof resolve>>): string {
  const dependency = resolved.kind === 'Blocked' ? resolved.dependency : resolved.waitsFor;
  return dependency === undefined ? 'ready' : `${dependency.reason} ${dependency.message}`;
}

describe('outputs of other instances', () => {
  it('become values at their paths, in the order of the spec, and those of Secrets and sensitive fields are secret', async () => {
    const all = web('a', ['db.host', 'db.password', 'db.address', 'db.token']);
    const { resolved, references } = await resolve(all, [web('db', [], 'True', { token: 'abc12345' }), SECRET, SERVICE]);
    assert.ok(resolved.kind === 'Resolved' && resolved.waitsFor === undefined);
    const sources = resolved.valuesFrom.map((source) => ('layer' in source ? [source.layer, source.secrets] : source));
    assert.deepEqual(sources, [
      [{ origin: 'Web db output host', values: { from: { db: 'db.team.svc' } } }, []],
      [{ origin: 'Web db output password', values: { from: { db: 'hunter2' } } }, ['hunter2']],
      [{ origin: 'Web db output address', values: { from: { db: 'web-db.team.svc:5432' } } }, []],
      [{ origin: 'Web db output token', values: { from: { db: 'abc12345' } } }, ['abc12345']],
    ]);
    assert.doesNotMatch(JSON.stringify(resolved.valuesFrom.map((source) => 'layer' in source && source.revision)), /hunter2|abc12345/);
    assert.deepEqual(references, ['secrets team/web-db', 'services team/web-db', 'webs team/db']);
  });

  const cases: readonly (readonly [why: string, instance: KubeObject, others: readonly KubeObject[], message: RegExp])[] = [
    ['an instance that does not exist', web('a', ['db.host']), [], /^DependencyNotReady .*Web db: it does not exist$/],
    ['one that is not ready', web('a', ['db.host']), [web('db', [], 'False')], /^DependencyNotReady .*Web db: it is not ready/],
    ['a Secret that is to come', web('a', ['db.password']), [web('db')], /its Secret web-db does not exist yet$/],
    ['itself', web('a', ['a.host']), [], /^DependencyCycle .*: Web a → Web a;/],
    ['one that takes of it', web('a', ['b.host']), [web('b', ['a.host'])], /^DependencyCycle .*: Web a → Web b → Web a;/],
    ['a longer cycle', web('a', ['b.host']), [web('b', ['c.host']), web('c', ['a.host'])], /Web a → Web b → Web c → Web a;/],
    ['a cycle of others', web('a', ['b.host']), [web('b', ['c.host'], 'False'), web('c', ['b.host'])], /^DependencyNotReady /],
    ['a chain', web('a', ['b.host']), [web('b', ['c.host']), web('c')], /^ready$/],
  ];
  for (const [why, instance, others, expected] of cases)
    it(`of ${why} are reported as such`, async () => assert.match(message(await resolve(instance, others)), expected));

  it('come from the namespace that is dedicated to the other instance, and from no other that its status names', async () => {
    const place = dedicatedNamespaceName(WEB, { namespace: 'team', name: 'db' });
    const releasedIn = (namespace: string): KubeObject[] => {
      const { status, ...rest } = web('db');
      const moved = [SECRET, SERVICE].map((object) => ({ ...object, metadata: { ...object.metadata, namespace } }));
      return [{ ...rest, status: { ...(status as object), release: { namespace } } }, ...moved];
    };
    const { resolved, references } = await resolve(web('a', ['db.host', 'db.password', 'db.address']), releasedIn(place));
    assert.ok(resolved.kind === 'Resolved');
    const values = resolved.valuesFrom.map((source) => 'layer' in source && source.layer.values);
    assert.deepEqual(
      values,
      [`db.${place}.svc`, 'hunter2', `web-db.${place}.svc:5432`].map((db) => ({ from: { db } })),
    );
    assert.deepEqual(references, [`secrets ${place}/web-db`, `services ${place}/web-db`, 'webs team/db']);
    await assert.rejects(resolve(web('a', ['db.password']), releasedIn('kube-system')), { code: 'Forbidden' });
  });

  it('name the outputs that there are when one is not declared', async () => {
    await assert.rejects(resolve(web('a', ['db.hots']), [web('db')]), /no output "hots"; it has host, token, password, address/);
  });
});
