import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { findRevision, historyName, revisedContent, revisionsIn, withRevision } from '../../../../src/domain/instance/instance-revision.ts';
import { isDnsSubdomain } from '../../../../src/domain/kubernetes/names.ts';
import type { JsonObject, KubeObject } from '../../../../src/domain/kubernetes/resource.ts';

const APP = 'caches.samples.chandlery.dev';
const INSTANCE: KubeObject = {
  apiVersion: 'samples.chandlery.dev/v1',
  kind: 'Cache',
  metadata: { name: 'orders', namespace: 'team-a', uid: 'u1', labels: { a: 'b' } },
};

/** The Secret after one change after another. */
function historyAfter(contents: readonly JsonObject[], instance = INSTANCE): KubeObject | undefined {
  return contents.reduce<KubeObject | undefined>((secret, content) => {
    const added = { replaced: '2026-11-21T09:30:00.000Z', user: 'oidc:dev-a', version: 'v1', content };
    return withRevision(secret, { app: APP, instance, added }) ?? secret;
  }, undefined);
}

const specs = (count: number): JsonObject[] => Array.from({ length: count }, (_, replicas) => ({ spec: { replicas } }));

describe('the earlier revisions of an instance', () => {
  it('are the last ten, each with its own number, in a Secret that the instance owns', () => {
    const secret = historyAfter(specs(13));
    assert.equal(secret?.metadata.name, `chandlery.history.${APP}.orders`);
    assert.deepEqual(
      secret?.metadata.ownerReferences?.map(({ uid }) => uid),
      ['u1'],
    );
    const revisions = revisionsIn(secret, INSTANCE);
    assert.deepEqual(
      revisions.map(({ revision }) => revision),
      [13, 12, 11, 10, 9, 8, 7, 6, 5, 4],
    );
    assert.deepEqual(revisions[0]?.content, { spec: { replicas: 12 } });
  });

  it('keep whole numbers of 64 bits to the last digit', () => {
    const content = { spec: { maxBytes: 9007199254740993n } };
    assert.deepEqual(revisionsIn(historyAfter([content]), INSTANCE)[0]?.content, content);
  });

  it('are not repeated by a change that was taken back outside of Chandlery', () => {
    assert.equal(revisionsIn(historyAfter([...specs(1), ...specs(1)]), INSTANCE).length, 1);
  });

  it('are bounded in size: the oldest go first, and one that is too large is not kept', () => {
    const large = (fill: string): JsonObject => ({ spec: { text: fill.repeat(250_000) } });
    assert.deepEqual(
      revisionsIn(historyAfter(['a', 'b', 'c', 'd'].map(large)), INSTANCE).map(({ revision }) => revision),
      [4, 3],
    );
    assert.equal(historyAfter([{ spec: { text: 'a'.repeat(2_000_000) } }]), undefined);
  });

  it('are those of this very object: another one of the same name, or a Secret that somebody else made, has none', () => {
    const secret = historyAfter(specs(2));
    const again = { ...INSTANCE, metadata: { ...INSTANCE.metadata, uid: 'u2' } };
    assert.deepEqual(revisionsIn(secret, again), []);
    assert.deepEqual(revisionsIn(secret && { ...secret, type: 'Opaque' }, INSTANCE), []);
  });

  it('survive whatever is written into the Secret', () => {
    const secret = historyAfter(specs(1));
    assert.ok(secret !== undefined);
    const texts = fc.oneof(
      fc.string(),
      fc.json().map((text) => Buffer.from(text).toString('base64')),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(fc.string(), fc.constant('revision-7')), texts), (data) => {
        for (const { revision, content } of revisionsIn({ ...secret, data }, INSTANCE)) {
          assert.ok(Number.isInteger(revision) && typeof content === 'object' && !Object.hasOwn(content, 'metadata'));
        }
      }),
    );
  });

  it('of which the newest that differs from what is live is the default of a rollback', () => {
    const revisions = revisionsIn(historyAfter(specs(3)), INSTANCE);
    const wanted = (live: number, revision?: number) => findRevision(revisions, { spec: { replicas: live } }, revision)?.revision;
    assert.deepEqual([wanted(9), wanted(2), wanted(2, 3), wanted(2, 4)], [3, 2, 3, undefined]);
  });

  it('hold what people decide, but for metadata', () => {
    assert.deepEqual(revisedContent({ ...INSTANCE, spec: { a: 1 }, data: { b: 2 }, status: { c: 3 } }), { spec: { a: 1 }, data: { b: 2 } });
  });

  it('have a name that Kubernetes takes, however long that of the instance is', () => {
    for (let pairs = 95; pairs < 126; pairs += 1) {
      const [one = '', other] = ['a', 'b'].map((end) => historyName(APP, `${pairs % 2 === 0 ? 'y' : 'yy'}${'.x'.repeat(pairs)}${end}`));
      assert.ok(isDnsSubdomain(one) && one !== other, one);
    }
  });
});
