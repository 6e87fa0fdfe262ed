import { listInShort } from '../../domain/core/name-words.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isAppError } from '../../domain/core/errors.ts';
import {
  contentOfSavedConfiguration,
  earlierVersionsOf,
  type SavedConfiguration,
  type SavedConfigurationFault,
} from '../../domain/saved-configuration/saved-configuration.ts';
import { SAVED_CONFIGURATION } from '../../domain/kubernetes/resource-types.ts';
import { appForm } from '../../form/model/app-form.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { showApp } from '../app/show-app.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import type { Ports } from '../ports.ts';
import { omitSecrets } from './omit-secrets.ts';
import { findStored, readStored, type SavedConfigurationNeeds } from './stored-configurations.ts';

type Needs = SavedConfigurationNeeds & Pick<Ports, 'chart' | 'chartValues'>;

/** What the saved configurations are narrowed by; an empty text leaves all. */
export interface SavedConfigurationQuery {
  /** The App's id. */
  readonly app: string;
  /** Every word must occur in title, description or owner. */
  readonly search: string;
}

/** The saved configurations of the actor, of their groups and of their environments, by title. */
export async function listSavedConfigurations(
  ports: Needs,
  actor: Actor,
  { app, search }: SavedConfigurationQuery,
): Promise<readonly SavedConfiguration[]> {
  const all = (await readStored(ports, actor)).map(({ savedConfiguration }) => savedConfiguration);
  const words = search.toLowerCase().split(/\s+/);
  const found = all.filter((savedConfiguration) => {
    const { title, description, owner } = savedConfiguration;
    const text = [title, description, ...Object.values(owner)].join(' ').toLowerCase();
    return (app === '' || savedConfiguration.app === app) && words.every((word) => text.includes(word));
  });
  const forms = new Map<string, Promise<Form | undefined>>();
  const formOf = (id: string): Promise<Form | undefined> => {
    const form = forms.get(id) ?? openForm(ports, actor, id);
    forms.set(id, form);
    return form;
  };
  const shown = await Promise.all(found.map(async (one) => shownConfiguration(one, await formOf(one.app))));
  return shown.sort((a, b) => a.title.localeCompare(b.title) || a.id.localeCompare(b.id));
}

/** Those of the environments in which the actor may change saved configurations. */
export async function listChangeableEnvironments(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  names: readonly string[],
): Promise<readonly string[]> {
  const { group, resource } = SAVED_CONFIGURATION;
  const found = await Promise.all(
    [...new Set(names)].map(async (name) => {
      const { namespace } = await findEnvironment(clusters, actor, name);
      const { allowed } = await clusters.asActor(actor).review({ verb: 'update', group, resource, namespace });
      return allowed ? [name] : [];
    }),
  );
  return found.flat();
}

/** @throws AppError `NotFound`, in the same words whether there is none or the actor may not read it. */
export async function showSavedConfiguration(ports: Needs, actor: Actor, id: string): Promise<SavedConfiguration> {
  const { savedConfiguration } = await findStored(ports, actor, id);
  return shownConfiguration(savedConfiguration, await openForm(ports, actor, savedConfiguration.app));
}

/** What a saved configuration was before its last changes, the newest first. Throws like `showSavedConfiguration`. */
export async function listSavedConfigurationVersions(ports: Needs, actor: Actor, id: string): Promise<readonly SavedConfiguration[]> {
  const { savedConfiguration, object } = await findStored(ports, actor, id);
  const form = await openForm(ports, actor, savedConfiguration.app);
  return earlierVersionsOf(object, savedConfiguration).map((earlier) => shownConfiguration(earlier, form));
}

type Form = Pick<FormModel, 'root' | 'sensitive'>;

/** Undefined when the actor finds no such app. */
async function openForm(ports: Needs, actor: Actor, app: string): Promise<Form | undefined> {
  try {
    return appForm(await showApp(ports, actor, app), 'create');
  } catch (error) {
    if (isAppError(error, 'NotFound')) return undefined;
    throw error;
  }
}

const MAX_NAMED = 5;

/** Nothing in the cluster keeps kubectl from writing a secret into one. Without the form nobody knows which values are. */
function shownConfiguration(savedConfiguration: SavedConfiguration, form: Form | undefined): SavedConfiguration {
  const { otherFields: _otherFields, ...rest } = savedConfiguration;
  if (form === undefined) return { ...rest, values: {}, fault: savedConfiguration.fault ?? unknownApp(savedConfiguration) };
  const { omittedSecrets, ...content } = omitSecrets(form, contentOfSavedConfiguration(savedConfiguration));
  if (omittedSecrets.length === 0) return savedConfiguration;
  return {
    ...rest,
    ...content,
    fault: { kind: 'Secrets', message: `it contains secrets, which are left out: ${listInShort(omittedSecrets, MAX_NAMED)}` },
  };
}

function unknownApp({ app }: SavedConfiguration): SavedConfigurationFault {
  return { kind: 'UnknownApp', message: `the catalogue has no app ${JSON.stringify(app)}` };
}
