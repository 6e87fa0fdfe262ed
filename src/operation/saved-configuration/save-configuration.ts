import { randomBytes } from 'node:crypto';
import type { AuditEvent, RequestOrigin } from '../../domain/audit/audit-log.ts';
import { AppError, type FieldFault, isAppError } from '../../domain/core/errors.ts';
import { applyMergePatch } from '../../domain/core/merge-patch.ts';
import { specOf } from '../../domain/kind/kind.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { checkPreconditions, type Preconditions } from '../../domain/kubernetes/etag.ts';
import { SAVED_CONFIGURATION } from '../../domain/kubernetes/resource-types.ts';
import { apiVersionOf, type JsonObject } from '../../domain/kubernetes/resource.ts';
import {
  MAX_DESCRIPTION_LENGTH,
  MAX_EARLIER,
  MAX_TITLE_LENGTH,
  SAVED_CONFIGURATION_KIND,
  type SavedConfigurationSpec,
} from '../../domain/saved-configuration/saved-configuration-kind.ts';
import {
  contentOfSavedConfiguration,
  earlierOf,
  earlierVersionsOf,
  isForEverybody,
  isOfAnotherAuthor,
  isSameOwner,
  MAX_VALUES_LENGTH,
  SAVED_CONFIGURATION_BOUNDS,
  type SavedConfiguration,
  savedConfigurationEtag,
  savedConfigurationOf,
  type SavedConfigurationOwner,
  valuesLength,
} from '../../domain/saved-configuration/saved-configuration.ts';
import { appForm } from '../../form/model/app-form.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { showApp } from '../app/show-app.ts';
import { audited } from '../audit/audited.ts';
import { USER_WRITE } from '../instance/instance-draft.ts';
import { me } from '../me.ts';
import type { Ports } from '../ports.ts';
import { omitSecrets, type SavedValues } from './omit-secrets.ts';
import {
  findStored,
  ownersFor,
  type Place,
  placeFor,
  readPlace,
  type SavedConfigurationNeeds,
  type StoredConfiguration,
} from './stored-configurations.ts';

/** What somebody wants to save. */
export interface SavedConfigurationDraft extends RequestOrigin {
  readonly app: string;
  readonly title: string;
  readonly description: string;
  /** What goes under `spec`, and what goes beside it. */
  readonly values: JsonObject;
  readonly otherFields?: JsonObject;
  readonly owner: SavedConfigurationOwner;
}

/** What is to be changed of a saved configuration; absent: stays. */
export interface SavedConfigurationChange extends RequestOrigin {
  readonly id: string;
  readonly title?: string;
  readonly description?: string;
  readonly values?: JsonObject;
  /** `Merge`: `values` and `otherFields` are JSON Merge Patches of those that are there when it is saved; by default they replace them. */
  readonly mode?: 'Replace' | 'Merge';
  readonly otherFields?: JsonObject;
  /** The actor, or a group of theirs. */
  readonly owner?: SavedConfigurationOwner;
  /** The version that it must have; absent: whichever it has. */
  readonly version?: number;
  readonly preconditions?: Preconditions;
}

/** A saved configuration as it was saved, and the secrets that were left out. */
export interface SavedConfigurationResult {
  readonly savedConfiguration: SavedConfiguration;
  readonly omittedSecrets: readonly string[];
}

type Needs = SavedConfigurationNeeds & Pick<Ports, 'chart' | 'chartValues' | 'auditLog'>;

/** One of those who save at the same time succeeds each time. */
const ATTEMPTS = 20;
/** Of values as JSON: an object of the cluster has room for 1.5 MiB. */
const MAX_EARLIER_CHARACTERS = 512 * 1024;

/**
 * Saves a configuration of an App for the actor, a group of theirs or an Environment, without its secrets, as the actor.
 *
 * @throws AppError `InvalidInput` for texts that are empty or too long; `Forbidden` for a group of others, and as the api-server; `LimitReached` beyond 100 of an
 *   owner or 4 MiB; `TooLarge`; `NotFound` as `findApp` and `findEnvironment`.
 */
export async function saveConfiguration(ports: Needs, actor: Actor, draft: SavedConfigurationDraft): Promise<SavedConfigurationResult> {
  const name = randomBytes(16).toString('hex');
  return await audited(ports, actor, savedConfigurationEvent('create saved configuration', `${draft.app}/${name}`, draft), async () => {
    const { app, owner } = draft;
    const words = parseWords(draft);
    rejectForeign(actor, owner);
    const form = appForm(await showApp(ports, actor, app), 'create');
    const { omittedSecrets, ...values } = savedValues(form, contentOfSavedConfiguration(draft));
    const savedConfiguration = await create(ports, actor, {
      name,
      owner,
      spec: { app, ...words, ...values, author: actor.user, earlier: [] },
    });
    return { savedConfiguration, omittedSecrets };
  });
}

/**
 * Changes a saved configuration of the actor, of a group of theirs or of an Environment; `Conflict` when it is not of the version any more, `PreconditionFailed`,
 * `Forbidden` for everybody's of another author.
 */
export async function changeSavedConfiguration(
  ports: Needs,
  actor: Actor,
  change: SavedConfigurationChange,
): Promise<SavedConfigurationResult> {
  return await audited(ports, actor, savedConfigurationEvent('update saved configuration', change.id, change), async () => {
    for (let attempt = 1; ; attempt += 1) {
      const stored = await findStored(ports, actor, change.id);
      const saved = await attemptChange(ports, actor, { stored, change });
      if (saved !== 'stale') return saved;
      if (attempt >= ATTEMPTS) throw stale(stored.savedConfiguration);
    }
  });
}

interface Attempt {
  readonly stored: StoredConfiguration;
  readonly change: SavedConfigurationChange;
}

/** Lays the change over the saved configuration as it is now; `stale` when somebody was faster. */
async function attemptChange(ports: Needs, actor: Actor, { stored, change }: Attempt): Promise<SavedConfigurationResult | 'stale'> {
  const { savedConfiguration: before, object } = stored;
  await rejectOthers(ports, actor, before);
  checkPreconditions(savedConfigurationWords(before), savedConfigurationEtag(before), change.preconditions ?? {});
  rejectFaulty(before);
  const words = parseWords({ title: change.title ?? before.title, description: change.description ?? before.description });
  const { omittedSecrets, ...values } = await valuesOf(ports, actor, { before, change });
  const owner = change.owner ?? before.owner;
  if (!isSameOwner(owner, before.owner)) rejectForeign(actor, owner);
  if (before.version !== (change.version ?? before.version)) throw stale(before);
  const { author, app } = before;
  const earlier = withinRoom([before, ...earlierVersionsOf(object, before)]).map(earlierOf);
  const spec = { app, ...words, ...values, ...(author === undefined ? {} : { author }), earlier };
  const savedConfiguration = isSameOwner(owner, before.owner)
    ? await replace(ports, actor, { stored, spec })
    : await give(ports, actor, { stored, spec: { ...spec, priorVersions: before.version }, owner });
  return savedConfiguration === 'stale' ? 'stale' : { savedConfiguration, omittedSecrets };
}

interface Replacement {
  readonly stored: StoredConfiguration;
  readonly spec: SavedConfigurationSpec;
}

async function replace(
  ports: Needs,
  actor: Actor,
  { stored: { object, place }, spec }: Replacement,
): Promise<SavedConfiguration | 'stale'> {
  const { priorVersions } = specOf(SAVED_CONFIGURATION_KIND, object);
  const next = { ...object, spec: { ...spec, ...(priorVersions === undefined ? {} : { priorVersions }) } };
  return await inTurn(place, async () => {
    await rejectFull(ports, actor, { place, spec, name: object.metadata.name });
    try {
      const written = await ports.clusters.asActor(actor).replace(SAVED_CONFIGURATION, next, USER_WRITE);
      return savedConfigurationOf(written.object, place.owner);
    } catch (error) {
      if (isAppError(error, 'Conflict')) return 'stale';
      throw error;
    }
  });
}

/** Creates it for the next owner, as its author, before it deletes that of the last one: at worst both have it. */
async function give(
  ports: Needs,
  actor: Actor,
  { stored, spec, owner }: Replacement & { readonly owner: SavedConfigurationOwner },
): Promise<SavedConfiguration | 'stale'> {
  const { object, savedConfiguration: before } = stored;
  const given = await create(ports, actor, { name: object.metadata.name, owner, spec: { ...spec, author: actor.user } });
  try {
    await remove(ports, actor, stored);
    return given;
  } catch (error) {
    await remove(ports, actor, await findStored(ports, actor, given.id)).catch(() => undefined);
    if (isAppError(error, 'Conflict')) return 'stale';
    if (isAppError(error, 'NotFound')) throw stale(before);
    throw error;
  }
}

interface Creation {
  readonly name: string;
  readonly owner: SavedConfigurationOwner;
  readonly spec: SavedConfigurationSpec;
}

async function create(ports: Needs, actor: Actor, { name, owner, spec }: Creation): Promise<SavedConfiguration> {
  const place = await placeFor(ports, actor, owner);
  const metadata = { name, namespace: place.namespace };
  const object = { apiVersion: apiVersionOf(SAVED_CONFIGURATION), kind: SAVED_CONFIGURATION.kind, metadata, spec };
  return await inTurn(place, async () => {
    await rejectFull(ports, actor, { place, spec, name });
    const written = await ports.clusters.asActor(actor).create(SAVED_CONFIGURATION, object, USER_WRITE);
    return savedConfigurationOf(written.object, owner);
  });
}

async function remove(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  { object: { metadata }, place }: StoredConfiguration,
): Promise<void> {
  const { name, uid, resourceVersion } = metadata;
  const ref = { ...SAVED_CONFIGURATION, namespace: place.namespace, name };
  const version = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  await clusters.asActor(actor).delete(ref, version);
}

/** Of those who write to one namespace at once, each counts what the ones before have written. */
const turns = new Map<string, Promise<unknown>>();

async function inTurn<T>({ namespace }: Place, task: () => Promise<T>): Promise<T> {
  const mine = (turns.get(namespace) ?? Promise.resolve()).then(task, task);
  turns.set(namespace, mine);
  try {
    return await mine;
  } finally {
    if (turns.get(namespace) === mine) turns.delete(namespace);
  }
}

/** @throws AppError `LimitReached` when the owner, or the author of what is for everybody, would have more than the bounds. */
async function rejectFull(
  ports: Needs,
  actor: Actor,
  { place, spec, name }: { readonly place: Place; readonly spec: SavedConfigurationSpec; readonly name: string },
): Promise<void> {
  const all = await readPlace(ports, actor, place);
  const others = all.filter(({ object }) => object.metadata.name !== name).map(({ savedConfiguration }) => savedConfiguration);
  const own = others.filter(({ author }) => author === spec.author);
  const { count, characters, ofAuthor } = SAVED_CONFIGURATION_BOUNDS;
  const fits = (some: readonly SavedConfiguration[], most: { readonly count: number; readonly characters: number }): boolean =>
    some.length < most.count && [spec, ...some].reduce((sum, one) => sum + valuesLength(one), 0) <= most.characters;
  if (!fits(others, { count, characters }) || (isForEverybody(place.owner) && !fits(own, ofAuthor))) throw full(place.owner);
}

/** The newest of what it was before, as much as there is room for. */
function withinRoom(earlier: readonly SavedConfiguration[]): readonly SavedConfiguration[] {
  let room = MAX_EARLIER_CHARACTERS;
  return earlier.slice(0, MAX_EARLIER).filter((one) => (room -= valuesLength(one)) >= 0);
}

/** What cannot be read cannot be kept while something else of it changes. */
function rejectFaulty({ fault, ...savedConfiguration }: SavedConfiguration): void {
  if (fault?.kind !== 'TooLarge' && fault?.kind !== 'Malformed') return;
  const message = `${savedConfigurationWords(savedConfiguration)}: ${fault.message}; correct it with kubectl, or delete it`;
  throw new AppError(fault.kind === 'TooLarge' ? 'TooLarge' : 'InvalidInput', message);
}

async function valuesOf(
  ports: Needs,
  actor: Actor,
  { before, change }: { readonly before: SavedConfiguration; readonly change: SavedConfigurationChange },
): Promise<SavedValues> {
  const old = { values: before.values, ...(before.otherFields === undefined ? {} : { otherFields: before.otherFields }) };
  if (change.values === undefined && change.otherFields === undefined) return { ...old, omittedSecrets: [] };
  const laid = (below: JsonObject, own: JsonObject | undefined): JsonObject =>
    own === undefined || change.mode === 'Merge' ? (applyMergePatch(below, own ?? {}) as JsonObject) : own;
  const wanted = { values: laid(old.values, change.values), otherFields: laid(old.otherFields ?? {}, change.otherFields) };
  return savedValues(appForm(await showApp(ports, actor, before.app), 'create'), contentOfSavedConfiguration(wanted));
}

/** Deletes a saved configuration of the actor, of a group of theirs or of an Environment. Throws like `changeSavedConfiguration`. */
export async function deleteSavedConfiguration(
  ports: SavedConfigurationNeeds & Pick<Ports, 'auditLog'>,
  actor: Actor,
  { id, version, preconditions = {}, ...requestOrigin }: Pick<SavedConfigurationChange, 'id' | 'version' | 'preconditions'> & RequestOrigin,
): Promise<void> {
  await audited(ports, actor, savedConfigurationEvent('delete saved configuration', id, requestOrigin), async () => {
    const stored = await findStored(ports, actor, id);
    const { savedConfiguration } = stored;
    await rejectOthers(ports, actor, savedConfiguration);
    checkPreconditions(savedConfigurationWords(savedConfiguration), savedConfigurationEtag(savedConfiguration), preconditions);
    if (version !== undefined && version !== savedConfiguration.version) throw stale(savedConfiguration);
    try {
      await remove(ports, actor, stored);
    } catch (error) {
      throw isAppError(error, 'Conflict', 'NotFound') ? stale(savedConfiguration) : error;
    }
  });
}

function savedConfigurationEvent(action: string, target: string, { via, requestId }: RequestOrigin): AuditEvent {
  return { action, environment: '', target, via, requestId };
}

function parseWords(words: { readonly title: string; readonly description: string }): { title: string; description: string } {
  const [title, description] = [words.title.trim(), words.description.replaceAll('\r\n', '\n').trim()];
  const faults: FieldFault[] = [
    ...(title === '' ? [{ field: 'title', message: 'Enter a title' }] : []),
    ...(title.length > MAX_TITLE_LENGTH ? [{ field: 'title', message: `Shorten the title to ${MAX_TITLE_LENGTH} characters` }] : []),
    ...(/\p{Cc}/u.test(title) ? [{ field: 'title', message: 'Write the title in one line' }] : []),
    ...(description.length > MAX_DESCRIPTION_LENGTH
      ? [{ field: 'description', message: `Shorten the description to ${MAX_DESCRIPTION_LENGTH} characters` }]
      : []),
  ];
  if (faults.length > 0)
    throw new AppError('InvalidInput', `saved configuration: ${faults.map(({ message }) => message).join('; ')}`, { faults });
  return { title, description };
}

/** What an Environment allows is for the api-server to say. */
function rejectForeign(actor: Actor, owner: SavedConfigurationOwner): void {
  if ('environment' in owner || ownersFor(actor).some((one) => isSameOwner(one, owner))) return;
  throw new AppError('Forbidden', 'saved configuration: you can save for yourself and for groups that you are a member of');
}

/** What is for everybody is changed by its author and by admins. */
async function rejectOthers(ports: Pick<Ports, 'clusters'>, actor: Actor, savedConfiguration: SavedConfiguration): Promise<void> {
  if (!isOfAnotherAuthor(savedConfiguration, actor) || (await me(ports, actor)).admin) return;
  const message = `${savedConfigurationWords(savedConfiguration)}: it is for everybody, so only its author and admins can change or delete it`;
  throw new AppError('Forbidden', `${message}; save a copy of your own instead`);
}

function full(owner: SavedConfigurationOwner): AppError {
  const { count, ofAuthor } = SAVED_CONFIGURATION_BOUNDS;
  const most = isForEverybody(owner) ? `${count} or 4 MiB, of one author ${ofAuthor.count} or 512 KiB` : `${count} or 4 MiB`;
  return new AppError('LimitReached', `saved configuration: this owner has reached the limit, ${most}; delete one first`);
}

function stale(savedConfiguration: SavedConfiguration): AppError {
  return new AppError('Conflict', `${savedConfigurationWords(savedConfiguration)}: somebody else changed it meanwhile; check it again`);
}

function savedConfigurationWords({ title }: Pick<SavedConfiguration, 'title'>): string {
  return `saved configuration ${JSON.stringify(title)}`;
}

/** @throws AppError `TooLarge` beyond 256 KiB. */
function savedValues(model: Pick<FormModel, 'root' | 'sensitive'>, content: JsonObject): SavedValues {
  const saved = omitSecrets(model, content);
  if (valuesLength(saved) > MAX_VALUES_LENGTH) {
    throw new AppError('TooLarge', `saved configuration: it is larger than ${MAX_VALUES_LENGTH / 1024} KiB; save less of it`);
  }
  return saved;
}
