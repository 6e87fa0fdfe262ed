import { csvText } from '../../domain/core/csv.ts';
import { textAt } from '../../domain/core/read.ts';
import { BOARD_TRACKS, type BoardFilter, type BoardWorkload, tracksOf } from '../../domain/environment/deploy-board.ts';
import { RESOURCE_HEALTHS } from '../../domain/environment/environment-resources.ts';
import { PAGE_QUERY, pageOfItems } from '../paging.ts';
import { type Call, type CsvFile, FORMAT_QUERY, type Reply, type Route } from '../route.ts';
import { pageOf, ref } from '../schema-parts.ts';

/** The deploy board of an environment. */
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
        }),
      },
    },
    handle: async (call) => await listWorkloads(call),
    csv: async (call) => await workloadsFile(call),
  },
];

async function listWorkloads({ operations, actor, params, query }: Call): Promise<Reply> {
  const input = { environment: params['environment'] ?? '', ...filterIn(query) };
  const { workloads, missing, unavailable } = await operations.listEnvironmentWorkloads(actor, input);
  const page = pageOfItems(workloads, ({ kind, resource, name }) => `${kind} ${resource} ${name}`, query);
  return { status: 200, body: { ...page, total: workloads.length, missing, unavailable } };
}

function filterIn(query: Call['query']): BoardFilter {
  const track = BOARD_TRACKS.find((one) => one === query['track']);
  const health = RESOURCE_HEALTHS.find((one) => one === query['health']);
  const search = textAt(query, 'search');
  return {
    ...(track === undefined ? {} : { track }),
    ...(health === undefined ? {} : { health }),
    ...(search === undefined ? {} : { search }),
  };
}

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
  ['message', ({ health, rollout }) => health?.message || rollout.message],
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
  const input = { environment: params['environment'] ?? '', ...filterIn(query) };
  const { environment, workloads } = await operations.listEnvironmentWorkloads(actor, input);
  return { name: `${environment.name}-workloads`, text: tableOf(WORKLOAD_COLUMNS, workloads) };
}

function tableOf<T>(columns: readonly Column<T>[], items: readonly T[]): string {
  return csvText([columns.map(([title]) => title), ...items.map((item) => columns.map(([, value]) => value(item)))]);
}
