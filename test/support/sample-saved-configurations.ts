import { AppError } from '../../src/domain/core/errors.ts';
import type { SavedConfiguration } from '../../src/domain/saved-configuration/saved-configuration.ts';
import type { Operations } from '../../src/operation/operations.ts';

const APP = 'postgresclusters.samples.chandlery.dev';
const TIME = '2026-11-20T12:00:00.000Z';

export const SAMPLE_SAVED_CONFIGURATIONS: readonly SavedConfiguration[] = [
  {
    id: 'a'.repeat(32),
    app: APP,
    title: 'Small, for a try',
    description: 'One server and little room.',
    values: { instances: 1, storage: { size: '2Gi' } },
    owner: { user: 'oidc:dev-a' },
    created: TIME,
    updated: TIME,
    version: 1,
  },
  {
    id: 'b'.repeat(32),
    app: APP,
    title: 'What the team uses',
    description: '',
    values: { instances: 3, storage: { size: '20Gi', tier: 'old' } },
    owner: { group: 'oidc:team-a' },
    created: TIME,
    updated: TIME,
    version: 4,
  },
  {
    id: 'team-a.from-git',
    app: APP,
    title: 'From git',
    description: '',
    values: { instances: 2 },
    owner: { environment: 'team-a' },
    created: TIME,
    updated: TIME,
    version: 1,
    fault: { kind: 'Secrets', message: 'it contains secrets, which are left out: spec.password' },
  },
  {
    id: 'team-a.stray',
    app: 'nothing.example.com',
    title: 'Stray',
    description: '',
    values: {},
    owner: { environment: 'team-a' },
    created: TIME,
    updated: TIME,
    version: 1,
    fault: { kind: 'UnknownApp', message: 'the catalogue has no app "nothing.example.com"' },
  },
];

type SavedConfigurationOperations = Pick<
  Operations,
  | 'listChangeableEnvironments'
  | 'listSavedConfigurations'
  | 'showSavedConfiguration'
  | 'listSavedConfigurationVersions'
  | 'compareSavedConfiguration'
  | 'listComparableInstances'
  | 'saveConfiguration'
  | 'changeSavedConfiguration'
  | 'deleteSavedConfiguration'
>;

/** What is saved here is taken, and not kept. */
export const SAMPLE_SAVED_CONFIGURATION_OPERATIONS: SavedConfigurationOperations = {
  listChangeableEnvironments: async () => [],
  listSavedConfigurations: async (_actor, { app, search }) =>
    SAMPLE_SAVED_CONFIGURATIONS.filter(
      (savedConfiguration) =>
        (app === '' || savedConfiguration.app === app) && savedConfiguration.title.toLowerCase().includes(search.toLowerCase()),
    ),
  showSavedConfiguration: async (_actor, id) => {
    const savedConfiguration = SAMPLE_SAVED_CONFIGURATIONS.find((one) => one.id === id);
    return savedConfiguration ?? Promise.reject(new AppError('NotFound', 'saved configuration: there is none'));
  },
  listSavedConfigurationVersions: async (_actor, id) =>
    SAMPLE_SAVED_CONFIGURATIONS.filter((savedConfiguration) => savedConfiguration.id === id && savedConfiguration.version > 1).map(
      (savedConfiguration) => ({
        ...savedConfiguration,
        title: 'What the team used',
        values: { instances: 2 },
        version: savedConfiguration.version - 1,
      }),
    ),
  compareSavedConfiguration: async (actor, { id, instance }) => ({
    savedConfiguration: await SAMPLE_SAVED_CONFIGURATION_OPERATIONS.showSavedConfiguration(actor, id),
    changes: [
      { path: 'spec.instances', from: 1, to: 3, layer: 'you', secret: false },
      { path: 'spec.storage.size', ...(instance === undefined ? {} : { from: '10Gi' }), to: '20Gi', layer: 'you', secret: false },
    ],
  }),
  listComparableInstances: async () => [{ environment: 'team-a', name: 'orders' }],
  changeSavedConfiguration: async (actor, change) => {
    const savedConfiguration = await SAMPLE_SAVED_CONFIGURATION_OPERATIONS.showSavedConfiguration(actor, change.id);
    if (change.version !== undefined && change.version !== savedConfiguration.version)
      throw new AppError('Conflict', 'saved configuration: it was changed');
    return { savedConfiguration: { ...savedConfiguration, ...change, version: savedConfiguration.version + 1 }, omittedSecrets: [] };
  },
  saveConfiguration: async (_actor, draft) => {
    if (draft.title === '') {
      throw new AppError('InvalidInput', 'saved configuration', { faults: [{ field: 'title', message: 'Enter a title' }] });
    }
    return { savedConfiguration: { ...draft, id: 'c'.repeat(32), created: TIME, updated: TIME, version: 1 }, omittedSecrets: [] };
  },
  deleteSavedConfiguration: async () => undefined,
};
