import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ObjectPage, PageOptions } from '../../../../src/domain/kubernetes/cluster.ts';
import { unsafeSentence } from '../../../../src/domain/upgrade/crd-safety/stored-checks.ts';
import { AppError } from '../../../../src/domain/core/errors.ts';
import type { KubeObject, ResourceType } from '../../../../src/domain/kubernetes/resource.ts';
import { checkStoredInstances, type StoredInput } from '../../../../src/schema/stored/check-stored-instances.ts';
import { crd, int, text, withSpec } from '../../../support/sample-crds.ts';

const LIVE = crd({ schema: withSpec(int) });
const CANDIDATE = crd({ schema: withSpec({ ...int, maximum: 5 }) });

describe('what is stored', () => {
  it('is read page after page, however much it is: ten are named, and all are counted', async () => {
    const { input, held } = storing(10_000);
    const verdict = await checkStoredInstances(input);
    assert.equal(verdict.faults.length, 10);
    assert.equal(verdict.faultCount, 4_000);
    assert.equal(held.most <= 200, true, `${held.most} were in memory at once`);
    assert.match(unsafeSentence([verdict], 'Instances'), /4000 existing instances would be invalid: A n\/a6: .*; and 3990 more$/);
  });

  it('is read anew when the pages run out of time', async () => {
    const { input, held } = storing(1_000, [4, 2]);
    assert.equal((await checkStoredInstances(input)).faultCount, 400);
    assert.equal(held.reads, 3);
  });

  it('is given up when the pages run out of time again and again', async () => {
    const { input } = storing(1_000, [4, 2, 1]);
    await assert.rejects(checkStoredInstances(input), /too old/);
  });

  it('counts an instance once that does not fit two versions', async () => {
    const version = (name: string, maximum: number) => ({
      name,
      served: true,
      storage: name === 'v2',
      schema: { openAPIV3Schema: withSpec({ ...int, maximum }) },
    });
    const live = crd({ versions: [version('v1', 9), version('v2', 9)] });
    const candidate = crd({ versions: [version('v1', 5), version('v2', 3)] });
    const { input, held } = storing(10);
    const verdict = await checkStoredInstances({ ...input, live, candidate });
    assert.equal(held.reads, 2);
    assert.equal(verdict.faultCount, 6);
    assert.deepEqual(
      verdict.faults.map(({ instance: name, path }) => `${name} ${path}`).sort(),
      [4, 5, 6, 7, 8, 9].map((number) => `A n/a${number} v2 spec.a`),
    );
  });

  it('speaks against the upgrade when the schema takes so long that nobody can say whether it fits', async () => {
    const anyOf = Array.from({ length: 5000 }, (_, n) => ({ pattern: `^${n}$` }));
    const candidate = crd({ schema: withSpec({ type: 'array', items: { ...text, anyOf } }) });
    async function* pages(): AsyncGenerator<ObjectPage> {
      const spec = { a: Array.from({ length: 300_000 }, (_, n) => `x${n}`) };
      yield {
        items: [{ apiVersion: 'g/v1', kind: 'A', metadata: { name: 'a', namespace: 'n' }, spec }],
        resourceVersion: '1',
        remaining: 0,
      };
    }
    const { findings, faultCount } = await checkStoredInstances({
      ...inputOf({ pages }),
      live: crd({ schema: withSpec({ type: 'array', items: text }) }),
      candidate,
      pageMs: 500,
    });
    assert.equal(faultCount, 0);
    assert.deepEqual(
      findings.filter(({ severity }) => severity !== 'Notice').map(({ path, message }) => [path, message]),
      [['v1', 'existing instances could not be validated against this schema within 0.5 s, so their validity is unknown']],
    );
  });

  it('is nothing while the kind is not served', async () => {
    const pages = (): never => {
      throw new AppError('NotFound', 'list as: not served');
    };
    assert.equal((await checkStoredInstances(inputOf({ pages }))).faultCount, 0);
  });

  it('is held against new rules, and rules that cannot be carried out are reported', async () => {
    const rules = [{ rule: 'self < 3' }, { rule: "quantity('1').isInteger()" }];
    const candidate = crd({ schema: withSpec({ ...int, 'x-kubernetes-validations': rules }) });
    const verdict = await checkStoredInstances({ ...storing(10).input, candidate });
    assert.equal(verdict.faultCount, 7);
    assert.deepEqual(verdict.faults[0], { instance: 'A n/a3', path: 'spec.a', message: 'it breaks the rule: self < 3' });
    assert.deepEqual(verdict.unchecked, ["quantity('1').isInteger()"]);
  });
});

interface Held {
  reads: number;
  most: number;
}

/**
 * A cluster that stores so many instances, with the numbers from 0 to 9 in turn.
 *
 * @param breaks after how many pages each of the first reads is too old.
 */
function storing(count: number, breaks: readonly number[] = []): { input: StoredInput; held: Held } {
  const held: Held = { reads: 0, most: 0 };
  async function* pages(_type: ResourceType, { size }: PageOptions): AsyncGenerator<ObjectPage> {
    const limit = breaks[held.reads] ?? Infinity;
    held.reads += 1;
    for (let first = 0; first < count; first += size) {
      if (first / size >= limit) throw new AppError('Conflict', 'list as: the version asked for is too old (410)');
      const items = Array.from({ length: Math.min(size, count - first) }, (_, index) => instance(first + index));
      held.most = Math.max(held.most, items.length);
      yield { items, resourceVersion: '1', remaining: Math.max(0, count - first - size) };
    }
  }
  return { input: inputOf({ pages }), held };
}

function inputOf(cluster: StoredInput['cluster']): StoredInput {
  return { cluster, live: LIVE, candidate: CANDIDATE, named: 10, signal: new AbortController().signal };
}

function instance(number: number): KubeObject {
  return { apiVersion: 'example.com/v1', kind: 'A', metadata: { name: `a${number}`, namespace: 'n' }, spec: { a: number % 10 } };
}
