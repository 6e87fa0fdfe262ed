import { isObject } from '../src/domain/core/read.ts';
import type { JsonObject, KubeObject } from '../src/domain/kubernetes/resource.ts';
import { largeKind } from '../test/support/large-kind.ts';

/** Of JSON, with its description. */
const BYTES_A_LEAF = 219;
/** The api-server looks at all CRDs of a group whenever one of them changes. */
const KINDS_A_GROUP = 5;
const DOMAIN = 'bench.example.com';
const WORDS =
  'the a of when which is used by for pod volume container resource claim template controller policy value default name must be set to only if not specified'.split(
    ' ',
  );

export function kindName(n: number): string {
  return `Component${n}`;
}

export function crdName(n: number): string {
  return `components${n}.${groupOf(n)}`;
}

function groupOf(n: number): string {
  return `large${Math.floor(n / KINDS_A_GROUP)}.${DOMAIN}`;
}

export function isLargeGroup(group: string): boolean {
  return group.endsWith(`.${DOMAIN}`);
}

/** One of many CRDs, each with descriptions of its own, as operators have them that put whole pod templates into their kinds. */
export function largeCrd(n: number, bytes: number): KubeObject {
  const names = { kind: kindName(n), plural: `components${n}` };
  const spec = worded(largeKind(bytes / BYTES_A_LEAF), randomFrom(n + 1)) as JsonObject;
  const openAPIV3Schema = { type: 'object', description: `Component ${n} of a large operator.`, properties: { spec } };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName(n) },
    spec: { group: groupOf(n), scope: 'Namespaced', names, versions: [version] },
  };
}

/** The same schema with other descriptions, and with groups where it has choices: those of a CRD say their properties outside. */
function worded(schema: unknown, random: () => number): unknown {
  if (Array.isArray(schema)) return schema.map((member) => worded(member, random));
  if (!isObject(schema)) return schema;
  const { oneOf, ...plain } = schema as JsonObject;
  const branches = Array.isArray(oneOf) ? Object.assign({}, ...oneOf.map((branch) => (isObject(branch) ? branch['properties'] : {}))) : {};
  const members = Object.keys(branches as object).length === 0 ? plain : { ...plain, properties: branches as JsonObject };
  return Object.fromEntries(
    Object.entries(members).map(([key, value]) => [key, key === 'description' ? sentence(random) : worded(value, random)]),
  );
}

function sentence(random: () => number): string {
  return Array.from({ length: 22 }, () => WORDS[Math.floor(random() * WORDS.length)] ?? '').join(' ');
}

/** Numbers from 0 to 1, the same in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
