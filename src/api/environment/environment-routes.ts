import { csvText } from '../../domain/core/plain-text.ts';
import { textAt } from '../../domain/core/read.ts';
import { BOARD_TRACKS, type BoardFilter, type BoardWorkload, tracksOf } from '../../domain/environment/deploy-board.ts';
import { RESOURCE_HEALTHS, type ResourceFilter, TEXT_FILTERS } from '../../domain/environment/environment-resources.ts';
import { PAGE_QUERY, pageOfItems } from '../paging.ts';
import { type Call, type CsvFile, FORMAT_QUERY, type Reply, type Route } from '../route.ts';
import { pageOf, ref } from '../schema-parts.ts';
import type { TierBoardFilter, TierCell, TierRow } from '../../domain/environment/tier-board.ts';
import type { TierBoard } from '../../operation/environment/show-tier-board.ts';

/** How an environment is, and everything in its namespace. */
export const ENVIRONMENT_RESOURCE_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/environments/{environment}/status',
    operationId: 'showEnvironmentStatus',
    summary:
      'The status of an environment: its health and causes, quota, limits, instances, warnings and catalogue faults, as far as you may read them',
    tag: 'Environments',
    replies: { 200: { description: 'The status', schema: ref('EnvironmentStatus') } },
    handle: async ({ operations, actor, params }) => ({
      status: 200,
      body: await operations.showEnvironmentStatus(actor, { environment: params['environment'] ?? '' }),
    }),
  },
  {
    method: 'get',
    path: '/environments/{environment}/resources',
    operationId: 'listEnvironmentResources',
    summary: 'Everything in the namespace of an environment, whoever made it, with health and owner, as far as you may list it',
    tag: 'Environments',
    query: {
      resource: { type: 'string', description: 'Only this resource: plural and group, such as `deployments.apps`' },
      health: { enum: RESOURCE_HEALTHS, description: 'Only this health; `None`: the kind has no health' },
      managedBy: { type: 'string', description: 'Only what this tool or field manager keeps: `Helm`, `Flux`, `kubectl-client-side-apply`' },
      release: { type: 'string', description: 'Only this Helm release: `name`, or `namespace/name`' },
      inventory: {
        type: 'string',
        description:
          'Only the inventory, ApplySet, Kustomization, Argo CD Application or CatalogSource of this id, such as `flux-system/apps`',
      },
      labelSelector: { type: 'string', description: 'Only resources with these labels, as kubectl takes it: `app=shop,tier!=db`' },
      search: { type: 'string', description: 'Must occur in the name, the kind, or the name of the owner or manager' },
      ...PAGE_QUERY,
    },
    replies: {
      200: {
        description: 'A page of resources, by kind and name',
        schema: pageOf('EnvironmentResource', {
          total: { type: 'integer', description: 'Resources that the filter leaves' },
          counts: { type: 'array', items: ref('ResourceCount'), description: 'Of all resources, whatever the filter' },
          missing: { type: 'array', items: ref('MissingPermission'), description: 'What you may not list; no count includes it' },
          unavailable: { type: 'array', items: ref('UnavailableKind') },
          empty: { ...ref('Emptiness'), description: 'Why the filter leaves nothing; absent when it leaves something' },
        }),
      },
    },
    handle: async (call) => await list(call),
  },
];

async function list({ operations, actor, params, query }: Call): Promise<Reply> {
  const found = await operations.listEnvironmentResources(actor, { environment: params['environment'] ?? '', ...resourceFilter(query) });
  const { resources, counts, missing, unavailable, empty } = found;
  const shown = resources.map(({ labels: _labels, ...one }) => one);
  const page = pageOfItems(shown, ({ kind, resource, name, namespace = '' }) => `${kind} ${resource} ${name} ${namespace}`, query);
  return {
    status: 200,
    body: { ...page, total: resources.length, counts, missing, unavailable, ...(empty === undefined ? {} : { empty }) },
  };
}

function resourceFilter(query: Call['query']): ResourceFilter {
  const health = RESOURCE_HEALTHS.find((one) => one === query['health']);
  return {
    ...(health === undefined ? {} : { health }),
    ...Object.fromEntries(TEXT_FILTERS.flatMap((name) => (textAt(query, name) === undefined ? [] : [[name, textAt(query, name)]]))),
  };
}

/** The deploy board of an environment, and the tier board. */
export const BOARD_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/environments/{environment}/workloads',
    operationId: 'listEnvironmentWorkloads',
    summary: 'The deploy board: every workload of an environment, whoever made it, with pods by revision, as far as you may list it',
    tag: 'Environments',
    query: {
      track: { enum: BOARD_TRACKS, description: 'Only workloads with pods of this track' },
      health: { enum: RESOURCE_HEALTHS, description: 'Only this health; `None`: the kind has no health' },
      search: { type: 'string', description: 'Must occur in the name, kind, version, an image, or the name of the owner or manager' },
      ...PAGE_QUERY,
      ...FORMAT_QUERY,
    },
    replies: {
      200: {
        description: 'A page of workloads, by kind and name',
        schema: pageOf('BoardWorkload', {
          total: { type: 'integer', description: 'Workloads that the filter leaves' },
          missing: { type: 'array', items: ref('MissingPermission'), description: 'What you may not list' },
          unavailable: { type: 'array', items: ref('UnavailableKind') },
          empty: { ...ref('Emptiness'), description: 'Why the filter leaves nothing; absent when it leaves something' },
        }),
      },
    },
    handle: async (call) => await listWorkloads(call),
    csv: async (call) => await workloadsFile(call),
  },
  {
    method: 'get',
    path: '/tier-board',
    operationId: 'showTierBoard',
    summary:
      'The tier board: the instances and workloads of all environments that you can see, beside each other, as far as you may list them',
    tag: 'Environments',
    query: {
      tier: { type: 'string', description: 'Only environments of this tier' },
      app: { type: 'string', description: 'Must occur in the name of the app, or of its kind' },
      health: { enum: RESOURCE_HEALTHS, description: 'Only apps that have this health in an environment' },
      differs: { enum: ['yes'], description: 'Only apps that differ from the tier before in an environment' },
      ...PAGE_QUERY,
      ...FORMAT_QUERY,
    },
    replies: {
      200: {
        description: 'A page of apps, by name; `environments` are the columns in the order of the tiers',
        schema: pageOf('TierRow', {
          environments: { type: 'array', items: ref('TierColumn') },
          total: { type: 'integer', description: 'Apps that the filter leaves' },
        }),
      },
    },
    handle: async (call) => await tierBoard(call),
    csv: async ({ operations, actor, query }) => ({
      name: 'tier-board',
      text: tableOf(TIER_COLUMNS, cellsOf(await operations.showTierBoard(actor, tierFilterIn(query)))),
    }),
  },
];

async function listWorkloads({ operations, actor, params, query }: Call): Promise<Reply> {
  const input = { environment: params['environment'] ?? '', ...workloadFilter(query) };
  const { workloads, missing, unavailable, empty } = await operations.listEnvironmentWorkloads(actor, input);
  const page = pageOfItems(workloads, ({ kind, resource, name }) => `${kind} ${resource} ${name}`, query);
  return { status: 200, body: { ...page, total: workloads.length, missing, unavailable, ...(empty === undefined ? {} : { empty }) } };
}

function workloadFilter(query: Call['query']): BoardFilter {
  const track = BOARD_TRACKS.find((one) => one === query['track']);
  const health = RESOURCE_HEALTHS.find((one) => one === query['health']);
  const search = textAt(query, 'search');
  return {
    ...(track === undefined ? {} : { track }),
    ...(health === undefined ? {} : { health }),
    ...(search === undefined ? {} : { search }),
  };
}

async function tierBoard({ operations, actor, query }: Call): Promise<Reply> {
  const { columns, rows } = await operations.showTierBoard(actor, tierFilterIn(query));
  const page = pageOfItems(rows, ({ name, key }) => `${name} ${key}`, query);
  return { status: 200, body: { ...page, environments: columns, total: rows.length } };
}

function tierFilterIn(query: Call['query']): TierBoardFilter {
  const [tier, app] = ['tier', 'app'].map((key) => textAt(query, key));
  const health = RESOURCE_HEALTHS.find((one) => one === query['health']);
  return {
    ...(tier === undefined ? {} : { tier }),
    ...(app === undefined ? {} : { app }),
    ...(health === undefined ? {} : { health }),
    ...(query['differs'] === 'yes' ? { differs: 'yes' } : {}),
  };
}

interface TableCell {
  readonly row: TierRow;
  readonly cell: TierCell;
  readonly tier: string;
}

function cellsOf({ columns, rows }: TierBoard): TableCell[] {
  const tiers = new Map(columns.map(({ name, tier }) => [name, tier]));
  return rows.flatMap((row) => row.cells.map((cell) => ({ row, cell, tier: tiers.get(cell.environment) ?? '' })));
}

const TIER_COLUMNS: readonly Column<TableCell>[] = [
  ['name', ({ row }) => row.name],
  ['app', ({ row }) => row.app],
  ['environment', ({ cell }) => cell.environment],
  ['tier', ({ tier }) => tier],
  ['version', ({ cell }) => cell.version],
  ['canary_version', ({ cell }) => cell.canaryVersion],
  ['health', ({ cell }) => cell.health?.status ?? ''],
  ['message', ({ cell }) => cell.health?.message ?? ''],
  ['rollout', ({ cell }) => cell.rollout?.state ?? ''],
  ['rollout_percentage', ({ cell }) => cell.rollout?.percentage ?? ''],
  ['compared_with', ({ cell }) => cell.drift?.from ?? ''],
  ['differing_fields', ({ cell }) => cell.drift?.fields.join(' ') ?? ''],
  ['lock', ({ cell }) => cell.lock?.kind ?? ''],
  ['change_request', ({ cell }) => cell.lock?.changeRequest ?? ''],
  ['workloads', ({ cell }) => cell.workloads.map(({ kind, name }) => `${kind}/${name}`).join(' ')],
];

type Column<T> = readonly [title: string, value: (item: T) => string | number];

const WORKLOAD_COLUMNS: readonly Column<BoardWorkload>[] = [
  ['namespace', ({ namespace = '' }) => namespace],
  ['kind', ({ kind }) => kind],
  ['name', ({ name }) => name],
  ['tracks', (workload) => tracksOf(workload).join(' ')],
  ['version', ({ version }) => version],
  ['images', ({ images }) => images.map(({ image }) => image).join(' ')],
  ['ready', ({ ready }) => ready],
  ['desired', ({ desired }) => desired],
  ['restarts', ({ restarts }) => restarts],
  ['rollout', ({ rollout }) => rollout.state],
  ['rollout_percentage', ({ rollout }) => rollout.percentage],
  ['health', ({ health }) => health?.status ?? ''],
  ['message', ({ cause, health, rollout }) => cause || health?.message || rollout.message],
  ['instance_app', ({ instance }) => instance?.app ?? ''],
  ['instance', ({ instance }) => instance?.name ?? ''],
  ['managed_by', ({ managedBy }) => managedBy?.tool ?? ''],
  ['manager', ({ managedBy }) => managedBy?.name ?? ''],
  ['changed_by', ({ change }) => change.manager],
  ['changed_at', ({ change }) => change.time],
  ['change_cause', ({ change }) => change.cause],
  ['gitlab_app', ({ change }) => change.gitlab['app'] ?? ''],
  ['gitlab_environment', ({ change }) => change.gitlab['env'] ?? ''],
  ['pipeline', ({ change }) => change.pipeline],
];

async function workloadsFile({ operations, actor, params, query }: Call): Promise<CsvFile> {
  const input = { environment: params['environment'] ?? '', ...workloadFilter(query) };
  const { environment, workloads } = await operations.listEnvironmentWorkloads(actor, input);
  return { name: `${environment.name}-workloads`, text: tableOf(WORKLOAD_COLUMNS, workloads) };
}

function tableOf<T>(columns: readonly Column<T>[], items: readonly T[]): string {
  return csvText([columns.map(([title]) => title), ...items.map((item) => columns.map(([, value]) => value(item)))]);
}
