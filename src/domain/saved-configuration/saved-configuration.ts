import { stringifyJson } from '../core/exact-json.ts';
import { listAt, textAt } from '../core/read.ts';
import { type Actor, EVERYBODY } from '../kubernetes/actor.ts';
import type { JsonObject, KubeObject } from '../kubernetes/resource.ts';
import { SAVED_CONFIGURATION_KIND, type SavedConfigurationSpec } from './saved-configuration-kind.ts';

/**
 * Whose a saved configuration is: one person's, that of all members of a group, or that of all members of an Environment. Names of users and groups as the
 * api-server has them.
 */
export type SavedConfigurationOwner = { readonly user: string } | { readonly group: string } | { readonly environment: string };

/** A saved configuration of an App. It holds no secret. Times are ISO 8601 in UTC. */
export interface SavedConfiguration {
  /** The name of the resource, or its namespace and name: `team-a.small`. */
  readonly id: string;
  /** The App's id. */
  readonly app: string;
  readonly title: string;
  /** Plain text; possibly empty. */
  readonly description: string;
  /** What goes under `spec`. */
  readonly values: JsonObject;
  /** What goes beside it, laid out like the resource; absent: nothing. */
  readonly otherFields?: JsonObject;
  readonly owner: SavedConfigurationOwner;
  /** The user who saved it first; absent where nobody is recorded. */
  readonly author?: string;
  readonly created: string;
  readonly updated: string;
  /** 1 at first; one more with each change. */
  readonly version: number;
  /** What is wrong with it, where somebody wrote it past Chandlery. */
  readonly fault?: SavedConfigurationFault;
}

export interface SavedConfigurationFault {
  readonly kind: 'Malformed' | 'UnknownApp' | 'Secrets' | 'TooLarge';
  readonly message: string;
}

/** Characters of values as JSON. */
export const MAX_VALUES_LENGTH = 256 * 1024;

/** How much one owner may have. */
export const SAVED_CONFIGURATION_BOUNDS = {
  count: 100,
  /** Of values as JSON. */
  characters: 4 * 1024 * 1024,
  /** How much of it one author may have, where it is everybody's: nobody can fill up what all share. */
  ofAuthor: { count: 10, characters: 512 * 1024 },
} as const;

/** As pages and REST name what they create; what kubectl creates is called as people like. */
const RANDOM_NAME = /^[0-9a-f]{32}$/;

/** Among those of people and groups a random name is the id by itself. */
function idOf({ namespace = '', name }: KubeObject['metadata'], owner: SavedConfigurationOwner): string {
  return RANDOM_NAME.test(name) && !('environment' in owner) ? name : `${namespace}.${name}`;
}

/** The namespace, empty for that of any person or group, and the name of the resource with an id; both empty for what is none. */
export function parseSavedConfigurationId(id: string): { readonly namespace: string; readonly name: string } {
  if (RANDOM_NAME.test(id)) return { namespace: '', name: id };
  const [, namespace = '', name = ''] = /^([^.]+)\.([^.]+)$/.exec(id) ?? [];
  return { namespace, name };
}

/** A SavedConfiguration as people see it. One that the CRD would not let in has nothing but a fault. */
export function savedConfigurationOf(object: KubeObject, owner: SavedConfigurationOwner): SavedConfiguration {
  const { name, creationTimestamp: created = '', generation = 1 } = object.metadata;
  const spec = SAVED_CONFIGURATION_KIND.spec.read(object.spec ?? {}) ?? {
    ...MALFORMED,
    app: textAt(object, 'spec', 'app') ?? '',
    title: name,
  };
  const { app, title, description, values, otherFields, author, priorVersions = 0, fault } = spec as SavedConfigurationSpec & Faulty;
  const shown = {
    id: idOf(object.metadata, owner),
    app,
    title,
    description,
    owner,
    ...(author === undefined ? {} : { author }),
    created,
    updated: updatedAt(object),
    version: generation + priorVersions,
    ...(fault === undefined ? {} : { fault }),
  };
  const content = { values, ...(otherFields === undefined ? {} : { otherFields }) };
  const length = valuesLength(content);
  return length > MAX_VALUES_LENGTH ? { ...shown, values: {}, fault: tooLarge(length) } : { ...shown, ...content };
}

type Faulty = Pick<SavedConfiguration, 'fault'>;

const MALFORMED: Omit<SavedConfigurationSpec, 'app' | 'title'> & Faulty = {
  description: '',
  values: {},
  earlier: [],
  fault: { kind: 'Malformed', message: 'it does not have the fields that its CRD requires' },
};

/** What it was before, the newest first. */
export function earlierVersionsOf(object: KubeObject, now: SavedConfiguration): readonly SavedConfiguration[] {
  const { fault: _fault, otherFields: _otherFields, ...same } = now;
  const earlier = SAVED_CONFIGURATION_KIND.spec.read(object.spec ?? {})?.earlier ?? [];
  return earlier.map((one) => ({ ...same, ...one })).filter((one) => valuesLength(one) <= MAX_VALUES_LENGTH);
}

/** A version as the next one keeps it. */
export function earlierOf({
  version,
  title,
  description,
  values,
  otherFields,
  updated,
}: SavedConfiguration): SavedConfigurationSpec['earlier'][number] {
  return { version, title, description, values, ...(otherFields === undefined ? {} : { otherFields }), updated };
}

/** Characters of the values as JSON. */
export function valuesLength({ values, otherFields = {} }: Pick<SavedConfiguration, 'values' | 'otherFields'>): number {
  return stringifyJson([values, otherFields]).length;
}

function tooLarge(length: number): SavedConfigurationFault {
  const [has, most] = [length, MAX_VALUES_LENGTH].map((one) => `${Math.ceil(one / 1024)} KiB`);
  return { kind: 'TooLarge', message: `its values have ${has}; at most ${most} can be used` };
}

/** When somebody wrote to it last. */
function updatedAt({ metadata }: KubeObject): string {
  const times = listAt(metadata, 'managedFields').flatMap((entry) => textAt(entry, 'time') ?? []);
  return times.toSorted().at(-1) ?? metadata.creationTimestamp ?? '';
}

/** The entity tag of a saved configuration, quotes included. */
export function savedConfigurationEtag({ id, version }: SavedConfiguration): string {
  return `"${id}.${version}"`;
}

/** All that a saved configuration sets, laid out like the resource. */
export function contentOfSavedConfiguration({ values, otherFields = {} }: Pick<SavedConfiguration, 'values' | 'otherFields'>): JsonObject {
  return { ...otherFields, ...(Object.keys(values).length === 0 ? {} : { spec: values }) };
}

export function isSameOwner(a: SavedConfigurationOwner, b: SavedConfigurationOwner): boolean {
  if ('user' in a) return 'user' in b && a.user === b.user;
  if ('group' in a) return 'group' in b && a.group === b.group;
  return 'environment' in b && a.environment === b.environment;
}

/** Whether it is for everybody who signs in. */
export function isForEverybody(owner: SavedConfigurationOwner): boolean {
  return 'group' in owner && owner.group === EVERYBODY;
}

/** Whether only an admin can let the actor change or delete it: what everybody uses is its author's to change. */
export function isOfAnotherAuthor({ owner, author }: Pick<SavedConfiguration, 'owner' | 'author'>, { user }: Pick<Actor, 'user'>): boolean {
  return isForEverybody(owner) && author !== user;
}
