import { parseYamlDocument } from '../core/bounded-yaml.ts';
import { at, isObject, listAt, objectAt, textAt } from '../core/read.ts';
import type { JsonObject, KubeObject } from '../kubernetes/resource.ts';
import { schemaOf, versionNamed } from './app-catalog.ts';

/** So many fields stand first where nobody picked any, required ones included. */
const MAX_ITEMS = 9;
/** So many are suggested however many are required, and below that number names and defaults help. */
const FEW = 3;
/** Defaults alone say little of what matters, so they fill up to so many. */
const WITH_DEFAULTS = 5;
/** A group of more leaves is none of the few fields that stand first. */
const SMALL_GROUP = 8;
const DEEPEST = 12;
/** What people look for first in kinds of any operator. */
const WELL_KNOWN =
  'replicas instances size version image imageName storage storageClassName storageClass resources host hostname schedule'.split(' ');
const OF_THE_CLUSTER = ['apiVersion', 'kind', 'metadata', 'status'];

type Keys = readonly string[];

/**
 * The fields that stand first in the form of a kind for which the catalogue picks none, as paths such as `spec.storage.size`: what its scale subresource
 * and printer columns show, what its schema and the README of its chart set in an example, and where that is little, fields of well-known names and
 * fields with a default.
 *
 * @param readme of the chart; hostile, and empty when there is none.
 */
export function suggestedFields(crd: KubeObject, version: string, readme: string): readonly string[] {
  const schema = schemaOf(crd, version);
  const replicas = replicasKeys(crd, version);
  const said = [
    ...(replicas === undefined ? [] : [replicas]),
    ...listAt(versionNamed(crd, version), 'additionalPrinterColumns').flatMap((column) => columnKeys(column, schema)),
  ];
  const examples = [objectAt(schema, 'example'), { spec: at(schema, 'properties', 'spec', 'example') }, readmeExample(crd, readme)];
  const named = distinct([...said, ...examples.flatMap((example) => keysIn(example))]).filter((keys) => isShort(schema, keys));
  const guessed = named.length < FEW ? guesses(schema, named.length).filter((keys) => isShort(schema, keys)) : [];
  const room = Math.max(FEW, MAX_ITEMS - requiredLeaves(schema, 0));
  return distinct([...named, ...guessed])
    .slice(0, room)
    .map(pathOf);
}

function pathOf(keys: Keys): string {
  return keys.every((key) => /^[\w-]+$/.test(key)) ? keys.join('.') : keys.map((key) => `[${JSON.stringify(key)}]`).join('');
}

/** Where the subresource scale of a version sets the number of replicas; undefined where it serves none. */
export function replicasKeys(crd: KubeObject, version: string): Keys | undefined {
  return jsonPathKeys(textAt(versionNamed(crd, version), 'subresources', 'scale', 'specReplicasPath') ?? '')[0];
}

/** A column of the status often shows what a field of the same name asks for. */
function columnKeys(column: unknown, schema: JsonObject): Keys[] {
  const [keys] = jsonPathKeys(textAt(column, 'jsonPath') ?? '');
  if (keys === undefined) return [];
  const asked = ['spec', keys.at(-1) ?? ''];
  if (keys[0] === 'status') return memberAt(schema, asked) === undefined ? [] : [asked];
  return OF_THE_CLUSTER.includes(keys[0] ?? '') ? [] : [keys];
}

/** The keys of `.spec.issuerRef.name`; none for a path that filters or leads into rows. */
function jsonPathKeys(path: string): Keys[] {
  return /^(\.[\w-]+)+$/.test(path) ? [path.slice(1).split('.')] : [];
}

const MAX_README_LENGTH = 200_000;
/** Blocks that may be parsed, until one is the resource that it looks like. */
const MAX_BLOCKS = 5;

/** The first resource of the kind in the README. */
function readmeExample(crd: KubeObject, readme: string): unknown {
  const [kind, group] = [textAt(crd.spec, 'names', 'kind') ?? '', `${textAt(crd.spec, 'group') ?? ''}/`];
  const fenced = readme.slice(0, MAX_README_LENGTH).split(/^```/m);
  const blocks = fenced.filter((block, index) => index % 2 === 1 && /^ya?ml\s*\n/.test(block)).flatMap((block) => block.split(/^---\s*$/m));
  const likely = blocks.filter((block) => block.includes(`kind: ${kind}`) && block.includes(group)).slice(0, MAX_BLOCKS);
  const examples = likely.map((block) => parsed(block.replace(/^ya?ml\s*\n/, '')));
  return examples.find((example) => textAt(example, 'kind') === kind && textAt(example, 'apiVersion')?.startsWith(group) === true);
}

/** What is written to be read may be no YAML at all. */
function parsed(text: string): unknown {
  try {
    return parseYamlDocument(text);
  } catch {
    return undefined;
  }
}

function keysIn(example: unknown, keys: Keys = []): Keys[] {
  if (keys.length > DEEPEST) return [];
  if (!isObject(example) || Object.keys(example).length === 0) return keys.length === 0 || example === undefined ? [] : [keys];
  const members = Object.entries(example).filter(([key]) => keys.length > 0 || !OF_THE_CLUSTER.includes(key));
  return members.flatMap(([key, member]) => keysIn(member, [...keys, key]));
}

function guesses(schema: JsonObject, found: number): Keys[] {
  const known = wellKnown(schema, ['spec'], 0);
  const members = objectAt(schema, 'properties', 'spec', 'properties');
  const defaulted = Object.keys(members).filter((key) => isScalar(members[key]) && at(members[key], 'default') !== undefined);
  const room = Math.max(0, WITH_DEFAULTS - found - known.length);
  return [...known, ...defaulted.slice(0, room).map((key) => ['spec', key])];
}

/** Of a member that is more than a few fields those that have such a name themselves: `spec.storage.size`. */
function wellKnown(schema: JsonObject, above: Keys, depth: number): Keys[] {
  const members = objectAt(memberAt(schema, above), 'properties');
  return WELL_KNOWN.filter((key) => Object.hasOwn(members, key)).flatMap((key) => {
    const keys = [...above, key];
    return isShort(schema, keys) || depth > 0 ? [keys] : wellKnown(schema, keys, depth + 1);
  });
}

function isScalar(schema: unknown): boolean {
  return !['object', 'array', undefined].includes(textAt(schema, 'type')) || at(schema, 'x-kubernetes-int-or-string') === true;
}

/** Whether the kind has the field, and it is one, or a few. */
function isShort(schema: JsonObject, keys: Keys): boolean {
  const member = memberAt(schema, keys);
  return member !== undefined && keys.length > 0 && leavesIn(member, 0) <= SMALL_GROUP;
}

function memberAt(schema: unknown, keys: Keys): unknown {
  return keys.reduce<unknown>((member, key) => at(member, 'properties', key), schema);
}

function leavesIn(schema: unknown, depth: number): number {
  const members = objectAt(schema, 'properties');
  let leaves = 0;
  for (const key of Object.keys(members)) {
    leaves += leavesIn(members[key], depth + 1);
    if (leaves > SMALL_GROUP || depth > DEEPEST) return SMALL_GROUP + 1;
  }
  return Math.max(1, leaves);
}

/** Those whose ancestors are all required. */
function requiredLeaves(schema: unknown, depth: number): number {
  const members = objectAt(schema, 'properties');
  const required = depth === 0 ? ['spec'] : listAt(schema, 'required');
  const inside = required.filter((key) => typeof key === 'string' && at(members, key, 'default') === undefined) as readonly string[];
  if (depth > DEEPEST || inside.length > MAX_ITEMS) return MAX_ITEMS;
  return inside.length === 0 && depth > 1 ? 1 : inside.reduce((sum, key) => sum + requiredLeaves(members[key], depth + 1), 0);
}

function distinct(all: readonly Keys[]): Keys[] {
  return [...new Map(all.map((keys) => [JSON.stringify(keys), keys])).values()];
}
