import type { FormModel } from '../../form/model/form-node.ts';
import { formLink } from '../../form/input/form-link.ts';
import { formToValues } from '../../form/input/form-to-values.ts';
import { installPath } from '../page/paths.ts';
import { AppError, type FieldFault } from '../../domain/core/errors.ts';
import { applyMergePatch } from '../../domain/core/merge-patch.ts';
import { contentOfSavedConfiguration } from '../../domain/saved-configuration/saved-configuration.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { unknownFields } from '../../form/model/unknown-fields.ts';
import { prefill } from '../../form/input/prefill.ts';
import { contentForCopy } from '../../operation/instance/copy-instance.ts';
import { copiedInstance } from '../instance/copied-instance.ts';
import type { Visit, WebDeps } from '../page/page.ts';

/** A view of `parts/form-link`: the address of a form as it is filled in, and what it leaves out. */
export interface InstallLink {
  readonly href: string;
  readonly secret: readonly string[];
  readonly left: readonly string[];
  /** How many more are left out than are named. */
  readonly more: number;
}

const MAX_NAMES = 12;

/** What the form holds, whether it is right or not; a value that is wrong is left out. */
export function installLink(
  app: string,
  model: FormModel,
  { environment, name, fields }: { readonly environment: string; readonly name: string; readonly fields: URLSearchParams },
): InstallLink {
  const { query, secret, left } = formLink(model, formToValues(model, fields, {}).values, { environment, name: name.slice(0, 63) });
  const href = query.size === 0 ? installPath(app) : `${installPath(app)}?${query.toString()}`;
  return { href, secret, left: left.slice(0, MAX_NAMES), more: Math.max(0, left.length - MAX_NAMES) };
}

/** The saved configuration that a form starts from. */
export interface ShownSavedConfiguration {
  readonly title: string;
  /** Its fields that the schema of the App has no place for any more. */
  readonly unknown: readonly string[];
}

/**
 * The values that a link fills a form with: those of the saved configuration, the instance or the deleted instance that it names, with its own fields over them.
 *
 * @throws AppError `NotFound` for one that is not the actor's, or of another App.
 */
export async function valuesOfLink(
  { operations }: WebDeps,
  visit: Visit,
  { app, model }: { readonly app: string; readonly model: FormModel },
): Promise<{ readonly values: JsonObject; readonly savedConfiguration?: ShownSavedConfiguration }> {
  const { actor, query } = visit;
  const own = prefill(model, query);
  const copied = await copiedInstance(operations, visit, app);
  if (copied !== undefined) return { values: applyMergePatch(contentForCopy(copied), own) as JsonObject };
  const deleted = query.get('deleted') ?? '';
  if (deleted !== '') {
    const { app: its, spec, otherFields } = await operations.restoreOf(actor, { environment: query.get('environment') ?? '', id: deleted });
    if (its !== app) throw new AppError('NotFound', `deleted instance ${JSON.stringify(deleted)}: it belongs to another app`);
    return { values: applyMergePatch({ ...otherFields, spec }, own) as JsonObject };
  }
  const id = query.get('saved-configuration') ?? '';
  if (id === '') return { values: own };
  const savedConfiguration = await operations.showSavedConfiguration(actor, id);
  if (savedConfiguration.app !== app)
    throw new AppError('NotFound', `saved configuration ${JSON.stringify(id)}: it belongs to another app`);
  const saved = contentOfSavedConfiguration(savedConfiguration);
  const values = applyMergePatch(saved, own) as JsonObject;
  return { values, savedConfiguration: { title: savedConfiguration.title, unknown: unknownFields(model, saved) } };
}

/** A saved configuration that a form can start from. */
export interface SavedConfigurationLink {
  readonly title: string;
  readonly href: string;
}

const MAX_LINKS = 5;

/** The saved configurations of an App that changed last. */
export async function savedConfigurationLinks(
  { operations }: WebDeps,
  { actor }: Visit,
  app: string,
): Promise<readonly SavedConfigurationLink[]> {
  const found = await operations.listSavedConfigurations(actor, { app, search: '' });
  return found
    .toSorted((a, b) => b.updated.localeCompare(a.updated))
    .slice(0, MAX_LINKS)
    .map(({ id, title }) => ({ title, href: `${installPath(app)}?saved-configuration=${id}` }));
}

/** The faults of texts that would be lost; what is only missing may be missing from a saved configuration. */
export function faultsOfTexts(body: URLSearchParams, faults: readonly FieldFault[]): readonly FieldFault[] {
  return faults.filter(({ field = '' }) => ['v', 'y', 'r', 'k'].some((letter) => (body.get(`${letter}.${field}`) ?? '') !== ''));
}
