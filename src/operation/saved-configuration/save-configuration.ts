import { randomBytes } from 'node:crypto';
import type { AuditEvent, RequestOrigin } from '../../domain/audit/audit-log.ts';
import { AppError, type FieldFault } from '../../domain/core/errors.ts';
import { applyMergePatch } from '../../domain/core/merge-patch.ts';
import { isObject, objectAt } from '../../domain/core/read.ts';
import { otherFieldsOf } from '../../domain/instance/instance-content.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { checkPreconditions, type Preconditions } from '../../domain/kubernetes/etag.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import {
  contentOfSavedConfiguration,
  isForEverybody,
  isOfAnotherAuthor,
  isSameOwner,
  savedConfigurationEtag,
  type SavedConfiguration,
  type SavedConfigurationBounds,
  type SavedConfigurationOwner,
} from '../../domain/saved-configuration/saved-configuration.ts';
import { appForm } from '../../form/model/app-form.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { showApp } from '../app/show-app.ts';
import { audited } from '../audit/audited.ts';
import { me } from '../me.ts';
import type { Ports } from '../ports.ts';
import { ownersFor, showSavedConfiguration } from './list-saved-configurations.ts';
import { formatPath, type FormPath } from '../../schema/form-path.ts';
import { sensitivePaths } from '../../schema/sensitive/sensitive-values.ts';
import { hasStandIn } from '../../schema/sensitive/mask.ts';

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

type Needs = Pick<Ports, 'clusters' | 'catalog' | 'chart' | 'savedConfigurations' | 'auditLog'>;

/** What a person or a group can have: the store is a file, and is written whole. */
const BOUNDS: SavedConfigurationBounds = {
  count: 100,
  characters: 4 * 1024 * 1024,
  ofAuthor: { count: 10, characters: 512 * 1024 },
};

/** One of those who save at the same time succeeds each time. */
const ATTEMPTS = 20;
const MAX_TITLE_LENGTH = 100;
const MAX_DESCRIPTION_LENGTH = 1000;
const MAX_BYTES = 256 * 1024;

/** Values as a saved configuration keeps them. */
interface SavedValues {
  readonly values: JsonObject;
  readonly otherFields?: JsonObject;
  /** What was taken out because it is a secret: `spec.users[0].password`. */
  readonly omittedSecrets: readonly string[];
}

/**
 * Saves a configuration of an App for the actor or a group of theirs, without its secrets.
 *
 * @throws AppError `InvalidInput` for texts that are empty or too long; `Forbidden` for a group of others; `LimitReached` beyond 100 of an owner or 4 MiB;
 *   `TooLarge`; `NotFound` as `findApp`.
 */
export async function saveConfiguration(ports: Needs, actor: Actor, draft: SavedConfigurationDraft): Promise<SavedConfigurationResult> {
  const id = randomBytes(16).toString('hex');
  return await audited(ports, actor, savedConfigurationEvent('create saved configuration', `${draft.app}/${id}`, draft), async () => {
    const { app, owner } = draft;
    const words = parseWords(draft);
    rejectForeign(actor, owner);
    const { omittedSecrets, ...values } = savedValues(
      appForm(await showApp(ports, actor, app), 'create'),
      contentOfSavedConfiguration(draft),
    );
    const now = new Date(ports.savedConfigurations.now()).toISOString();
    const savedConfiguration: SavedConfiguration = {
      id,
      app,
      ...words,
      ...values,
      owner,
      author: actor.user,
      created: now,
      updated: now,
      version: 1,
    };
    if ((await ports.savedConfigurations.table.add(savedConfiguration, BOUNDS)) === 'full') throw full(owner);
    return { savedConfiguration, omittedSecrets };
  });
}

/**
 * Changes a saved configuration of the actor or of a group of theirs; `Conflict` when it is not of the version any more, `PreconditionFailed`, `Forbidden` for everybody's
 * of another author.
 */
export async function changeSavedConfiguration(
  ports: Needs,
  actor: Actor,
  change: SavedConfigurationChange,
): Promise<SavedConfigurationResult> {
  return await audited(ports, actor, savedConfigurationEvent('update saved configuration', change.id, change), async () => {
    for (let attempt = 1; ; attempt += 1) {
      const saved = await attemptChange(ports, actor, change);
      if (saved !== 'stale') return saved;
      if (attempt >= ATTEMPTS) throw stale(await showSavedConfiguration(ports, actor, change.id));
    }
  });
}

/** Lays the change over the saved configuration as it is now; `stale` when somebody was faster. */
async function attemptChange(ports: Needs, actor: Actor, change: SavedConfigurationChange): Promise<SavedConfigurationResult | 'stale'> {
  const before = await showSavedConfiguration(ports, actor, change.id);
  await rejectOthers(ports, actor, before);
  checkPreconditions(savedConfigurationWords(before), savedConfigurationEtag(before), change.preconditions ?? {});
  const words = parseWords({ title: change.title ?? before.title, description: change.description ?? before.description });
  const { otherFields: _otherFields, ...rest } = before;
  const { omittedSecrets, ...values } = await valuesOf(ports, actor, { before, change });
  const updated = new Date(ports.savedConfigurations.now()).toISOString();
  const owner = change.owner ?? before.owner;
  rejectForeign(actor, owner);
  const savedConfiguration: SavedConfiguration = { ...rest, ...words, ...values, owner, updated, version: before.version + 1 };
  if (before.version !== (change.version ?? before.version)) throw stale(before);
  const done = await ports.savedConfigurations.table.replace(savedConfiguration, { version: before.version, bounds: BOUNDS });
  if (done === 'full') throw full(owner);
  return done === 'stale' ? 'stale' : { savedConfiguration, omittedSecrets };
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

/** Deletes a saved configuration of the actor or of a group of theirs. Throws like `changeSavedConfiguration`. */
export async function deleteSavedConfiguration(
  ports: Pick<Ports, 'clusters' | 'savedConfigurations' | 'auditLog'>,
  actor: Actor,
  { id, version, preconditions = {}, ...requestOrigin }: Pick<SavedConfigurationChange, 'id' | 'version' | 'preconditions'> & RequestOrigin,
): Promise<void> {
  await audited(ports, actor, savedConfigurationEvent('delete saved configuration', id, requestOrigin), async () => {
    const savedConfiguration = await showSavedConfiguration(ports, actor, id);
    await rejectOthers(ports, actor, savedConfiguration);
    checkPreconditions(savedConfigurationWords(savedConfiguration), savedConfigurationEtag(savedConfiguration), preconditions);
    if (!(await ports.savedConfigurations.table.delete(id, version ?? savedConfiguration.version))) throw stale(savedConfiguration);
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

function rejectForeign(actor: Actor, owner: SavedConfigurationOwner): void {
  if (ownersFor(actor).some((one) => isSameOwner(one, owner))) return;
  throw new AppError('Forbidden', 'saved configuration: you can save for yourself and for groups that you are a member of');
}

/** What is for everybody is changed by its author and by admins. */
async function rejectOthers(ports: Pick<Ports, 'clusters'>, actor: Actor, savedConfiguration: SavedConfiguration): Promise<void> {
  if (!isOfAnotherAuthor(savedConfiguration, actor) || (await me(ports, actor)).admin) return;
  const message = `${savedConfigurationWords(savedConfiguration)}: it is for everybody, so only its author and admins can change or delete it`;
  throw new AppError('Forbidden', `${message}; save a copy of your own instead`);
}

function full(owner: SavedConfigurationOwner): AppError {
  const { count, ofAuthor } = BOUNDS;
  const most = isForEverybody(owner) ? `${count} or 4 MiB, of one author ${ofAuthor.count} or 512 KiB` : `${count} or 4 MiB`;
  return new AppError('LimitReached', `saved configuration: this owner has reached the limit, ${most}; delete one first`);
}

function stale(savedConfiguration: SavedConfiguration): AppError {
  return new AppError('Conflict', `${savedConfigurationWords(savedConfiguration)}: somebody else changed it meanwhile; check it again`);
}

function savedConfigurationWords({ title }: SavedConfiguration): string {
  return `saved configuration ${JSON.stringify(title)}`;
}

/**
 * What a saved configuration sets, without secrets, and without what stands for secrets of a live object.
 *
 * @throws AppError `TooLarge` beyond 256 KiB.
 */
function savedValues(model: Pick<FormModel, 'root' | 'sensitive'>, content: JsonObject): SavedValues {
  const secrets = new Set(sensitivePaths(model, content));
  const omittedSecrets: string[] = [];
  const keep = (place: FormPath, value: Json | undefined): boolean => {
    const path = formatPath(place);
    const gone = secrets.has(path) || (typeof value === 'string' && hasStandIn(value));
    if (gone) omittedSecrets.push(path);
    return !gone;
  };
  const kept = without({ path: model.root.path, value: content }, keep) as JsonObject;
  if (JSON.stringify(kept).length > MAX_BYTES) {
    throw new AppError('TooLarge', `saved configuration: it is larger than ${MAX_BYTES / 1024} KiB; save less of it`);
  }
  const otherFields = otherFieldsOf(kept);
  return {
    values: objectAt(kept, 'spec') as JsonObject,
    ...(Object.keys(otherFields).length === 0 ? {} : { otherFields }),
    omittedSecrets,
  };
}

function without({ path, value }: { readonly path: FormPath; readonly value: Json }, keep: (path: FormPath, value: Json) => boolean): Json {
  if (Array.isArray(value)) {
    const rows = (value as readonly Json[]).map((item, index) => ({ path: [...path, index], value: item }));
    return rows.filter((row) => keep(row.path, row.value)).map((row) => without(row, keep));
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]) => ({ key, path: [...path, key], value: member as Json }));
  return Object.fromEntries(members.filter((part) => keep(part.path, part.value)).map((part) => [part.key, without(part, keep)]));
}
