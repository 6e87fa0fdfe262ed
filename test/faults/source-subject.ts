import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { specOf, statusOf } from '../../src/domain/kind/kind.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { OURS } from '../../src/domain/kubernetes/names.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { CATALOG_SOURCE, CONFIG_MAP, type KnownType, SECRET, SERVICE_ACCOUNT } from '../../src/domain/kubernetes/resource-types.ts';
import { CATALOG_SOURCE_KIND, type InventoryItem } from '../../src/domain/source/catalog-source.ts';
import type { Kube } from '../../src/kube/kube.ts';

/** What a CatalogSource holds: the value of each object, by its name. */
export type Content = ReadonlyMap<string, string>;

/** How a source should end. */
export interface Expected {
  readonly source: string;
  /** What is live; undefined: the source is gone, and all that it had. */
  readonly content: Content | undefined;
  /** The commit that is live. */
  readonly applied: string;
  /** The commit that was read last, when it is not applied. */
  readonly refused?: string;
}

/** A namespace that sources share with a person. */
export interface Shared {
  readonly kube: Kube;
  readonly namespace: string;
  /** What a person made, by name. */
  readonly persons: Map<string, KubeObject>;
  /** The uids of what the sources had when all was well last, by name. */
  readonly uids: Map<string, string>;
}

const KINDS = [CONFIG_MAP, SECRET, SERVICE_ACCOUNT] as const;
const VALUE = 'example.com/value';
const PREFIX = 'o-';
const DOCUMENTS_A_FILE = 10;

export const ALLOWED_KINDS = KINDS.map(({ group, kind }) => ({ group, kind }));

export function nameOf(index: number): string {
  return `${PREFIX}${index}`;
}

function indexOf(name: string): number {
  return Number(name.slice(PREFIX.length));
}

/** A name stands for one kind. */
export function typeOf(name: string): KnownType {
  return KINDS[indexOf(name) % KINDS.length] ?? CONFIG_MAP;
}

/** The object of a name as a person or a source has it. */
export function objectOf(namespace: string, name: string, value: string): KubeObject {
  return { apiVersion: 'v1', kind: typeOf(name).kind, metadata: { namespace, name, annotations: { [VALUE]: value } } };
}

/** The files of a folder, ten documents each. */
export function filesOf(folder: string, namespace: string, content: Content): Record<string, string> {
  const files = Map.groupBy(content, ([name]) => `${folder}/${Math.floor(indexOf(name) / DOCUMENTS_A_FILE)}.yaml`);
  const text = (entries: readonly (readonly [string, string])[]): string =>
    entries.map(([name, value]) => stringifyJson(objectOf(namespace, name, value))).join('\n---\n');
  return Object.fromEntries([...files].map(([file, entries]) => [file, text(entries)]));
}

interface Found {
  readonly objects: ReadonlyMap<string, KubeObject>;
  readonly sources: ReadonlyMap<string, KubeObject>;
}

async function look({ kube, namespace }: Shared): Promise<Found> {
  const cluster = kube.asController();
  const lists = await Promise.all(KINDS.map((type) => cluster.list(type, { namespace })));
  const ours = lists.flatMap(({ items }) => items).filter(({ metadata }) => metadata.name.startsWith(PREFIX));
  const { items } = await cluster.list(CATALOG_SOURCE);
  const byName = (objects: readonly KubeObject[]) => new Map(objects.map((object) => [object.metadata.name, object]));
  return { objects: byName(ours), sources: byName(items) };
}

/** What is not as it should be: of the sources, of what a person made, and of what belongs to nobody. */
export async function faultsOfSources(shared: Shared, expected: readonly Expected[]): Promise<string[]> {
  const found = await look(shared);
  const owners = expected.flatMap(({ source, content }) => (content === undefined ? [] : [source]));
  const strays = [...found.objects].filter(([name, object]) => !shared.persons.has(name) && !owners.includes(labelOf(object) ?? ''));
  return [
    ...expected.flatMap((one) => faultsOfSource(shared, one, found)),
    ...[...shared.persons].flatMap(([name, person]) => faultsOfPerson(name, person, found.objects.get(name))),
    ...strays.map(([name, object]) => `${name} is left behind, labelled ${labelOf(object) ?? 'by nobody'}`),
  ];
}

/** Has what is live now be the same ever after. */
export async function keepUids(shared: Shared): Promise<void> {
  const { objects } = await look(shared);
  shared.uids.clear();
  for (const [name, { metadata }] of objects) shared.uids.set(name, metadata.uid ?? '');
}

/** All that is known of a source, for whoever reads about a violation. */
export async function evidenceOfSource(kube: Kube, name: string): Promise<string> {
  const source = await ifFound(kube.asController().get({ ...CATALOG_SOURCE, name }));
  if (source === undefined) return '  source     gone';
  const { inventory, conditions, ...status } = statusOf(CATALOG_SOURCE_KIND, source);
  return [
    `  spec       ${JSON.stringify(specOf(CATALOG_SOURCE_KIND, source).git)}`,
    `  status     ${JSON.stringify(status)}`,
    `  inventory  ${inventory.map(entryOf).join(', ')}`,
    ...conditions.map(({ type, status: word, reason, message }) => `  condition  ${type}=${word} ${reason}: ${message}`),
  ].join('\n');
}

function faultsOfSource(shared: Shared, { source, content, applied, refused }: Expected, { objects, sources }: Found): string[] {
  const object = sources.get(source);
  if (content === undefined) return object === undefined ? [] : [`${source} is still there`];
  if (object === undefined) return [`${source} is gone`];
  const { conditions, inventory, revision, lastAppliedRevision } = statusOf(CATALOG_SOURCE_KIND, object);
  const ready = findCondition(conditions, 'Ready');
  const own = [...objects].filter(([, each]) => labelOf(each) === source);
  const live = own.map(([name, { metadata }]) => `${name}=${metadata.uid ?? ''}`).sort();
  const listed = inventory.map(entryOf).sort();
  return [
    ...differences(`the revision that ${source} read`, commitOf(revision), refused ?? applied),
    ...differences(`the revision that ${source} applied`, commitOf(lastAppliedRevision), applied),
    ...differences(`Ready of ${source}`, ready?.reason, refused === undefined ? 'Synced' : 'Invalid'),
    ...[...content].flatMap(([name, value]) => faultsOfObject(shared, { source, name, value }, objects.get(name))),
    ...own.filter(([name]) => !content.has(name)).map(([name]) => `${name} of ${source} was not deleted`),
    ...live.filter((entry) => !listed.includes(entry)).map((entry) => `${entry} is not in the inventory of ${source}`),
    ...listed.filter((entry) => !live.includes(entry)).map((entry) => `the inventory of ${source} has ${entry}, which is not its own`),
  ];
}

function faultsOfObject(
  { uids }: Shared,
  { source, name, value }: { readonly source: string; readonly name: string; readonly value: string },
  object: KubeObject | undefined,
): string[] {
  if (object === undefined) return [`${name} of ${source} is lost`];
  const { uid, annotations } = object.metadata;
  return [
    ...differences(`the owner of ${name}`, labelOf(object), source),
    ...differences(`the value of ${name}`, annotations?.[VALUE], value),
    ...differences(`the uid of ${name}, which was there before,`, uid, uids.get(name) ?? uid),
  ];
}

/** Its resource version says that nobody has touched it. */
function faultsOfPerson(name: string, { metadata }: KubeObject, object: KubeObject | undefined): string[] {
  if (object === undefined) return [`${name}, which a person made, is lost`];
  const identity = (of: KubeObject['metadata']): string => `${of.uid ?? ''} at ${of.resourceVersion ?? ''}`;
  return differences(`${name}, which a person made,`, identity(object.metadata), identity(metadata));
}

function labelOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[OURS.sourceLabel];
}

function entryOf({ name, uid = '' }: InventoryItem): string {
  return `${name}=${uid}`;
}

function commitOf(revision: string | undefined): string | undefined {
  return revision?.slice(-40);
}

function differences(what: string, found: string | undefined, wanted: string | undefined): string[] {
  return found === wanted ? [] : [`${what} is ${found ?? 'absent'} rather than ${wanted ?? 'absent'}`];
}
