import { setImmediate } from 'node:timers/promises';
import type { JsonObject } from '../src/domain/kubernetes/resource.ts';
import { cacheForm } from '../src/form/model/cache-form.ts';
import { createValuesCheck } from '../src/schema/values/check-values.ts';
import { largeKind, MAX_LEAVES } from '../test/support/large-kind.ts';
import { watchLoop, type LongestTurn } from './loop-probe.ts';
import { openForm } from './measure-large.ts';

const PEOPLE = 20;

/**
 * The longest turn of the event loop while twenty people open the heaviest forms at once, each for the first time: kinds as large as the largest that we
 * know, and schemas that were written to hurt. Meanwhile values are held against a schema that never ends.
 */
export async function measureTurns(): Promise<LongestTurn> {
  const kinds = [() => largeKind(MAX_LEAVES), fields, doubling, references, choices];
  const schemas = Array.from({ length: PEOPLE }, (_, person) => kinds[person % kinds.length]?.() ?? {});
  await setImmediate();
  const stop = watchLoop();
  const check = createValuesCheck()({ schema: endless(), values: { a: 1 }, id: 'endless' });
  for (const schema of schemas) {
    const model = cacheForm({ schema, root: 'spec', curated: [], mode: 'create' });
    await setImmediate();
    openForm(model, '');
    await setImmediate();
    openForm(model, 'a');
    await setImmediate();
  }
  await check;
  return stop();
}

/** As many as the cluster stores in one object. */
function fields(): JsonObject {
  return { properties: named(50_000, () => ({ type: 'string' })) };
}

function doubling(): JsonObject {
  const next = (n: number): JsonObject => ({ $ref: `#/$defs/l${n + 1}` });
  const levels = Array.from({ length: 40 }, (_, n) => [`l${n}`, { type: 'object', properties: { a: next(n), b: next(n) } }]);
  return { $ref: '#/$defs/l0', $defs: Object.fromEntries(levels) };
}

function references(): JsonObject {
  return { properties: named(2000, () => ({ $ref: `#${'/a'.repeat(500)}` })) };
}

function choices(): JsonObject {
  const options = Array.from({ length: 1000 }, (_, n) => `value${n}`);
  return { properties: named(10_000, () => ({ $ref: '#/$defs/e' })), $defs: { e: { type: 'string', enum: options } } };
}

/** Each level asks the next one twice. */
function endless(): JsonObject {
  const next = (n: number): JsonObject => ({ $ref: `#/$defs/l${n + 1}` });
  const levels = Array.from({ length: 40 }, (_, n) => [`l${n}`, n === 39 ? { type: 'string' } : { anyOf: [next(n), next(n)] }]);
  return { $ref: '#/$defs/l0', $defs: Object.fromEntries(levels) };
}

function named(count: number, schema: () => JsonObject): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, schema()]));
}
