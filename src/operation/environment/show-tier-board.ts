import { LRUCache } from 'lru-cache';
import pMap from 'p-map';
import { type Actor, actorKey } from '../../domain/kubernetes/actor.ts';
import type { Clusters } from '../../domain/kubernetes/cluster.ts';
import { boardEntries } from '../../domain/environment/board-entries.ts';
import { boardOf } from '../../domain/environment/deploy-board.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import {
  byTier,
  type ColumnReading,
  filterRows,
  type TierBoardFilter,
  type TierColumn,
  tierColumn,
  type TierRow,
  tierRows,
} from '../../domain/environment/tier-board.ts';
import { CRON_JOB, DAEMON_SET, DEPLOYMENT, STATEFUL_SET } from '../../domain/kubernetes/resource-types.ts';
import { entriesFor } from '../app/find-app.ts';
import { listChangeRequests } from '../change-request/list-change-requests.ts';
import { redactTexts } from '../instance/instance-masking.ts';
import type { Ports } from '../ports.ts';
import { listEnvironments } from './find-environment.ts';
import { workloadsIn } from './list-environment-resources.ts';
import { type EnvironmentPorts, readPlace } from './read-environment.ts';

/** Apps × environments. */
export interface TierBoard {
  /** The environments of the tier, from the first to the last that a change goes through. */
  readonly columns: readonly TierColumn[];
  /** By name. */
  readonly rows: readonly TierRow[];
  /** The same whatever the filter. */
  readonly allColumns: readonly TierColumn[];
  readonly allRows: readonly TierRow[];
}

/** Environments that are read at the same time; each is read by up to eight calls at a time. */
const AT_ONCE = 3;

/** The instances and workloads of every environment that the actor may see, beside each other; read as the actor. */
export async function showTierBoard(
  ports: EnvironmentPorts & Pick<Ports, 'changeRequests'>,
  actor: Actor,
  filter: TierBoardFilter,
): Promise<TierBoard> {
  const environments = (await listEnvironments(ports, actor)).toSorted(byTier);
  const requests = await listChangeRequests(ports, actor);
  const read = async (environment: EnvironmentView): Promise<ColumnReading> => await sharedReading(ports, actor, environment);
  const readings = await pMap(environments, read, { concurrency: AT_ONCE });
  const allColumns = readings.map(tierColumn);
  const allRows = tierRows(
    readings,
    [...requests.mine, ...requests.waiting].filter(({ state }) => state === 'open'),
  );
  return {
    columns: allColumns.filter(({ tier }) => filter.tier === undefined || tier === filter.tier),
    rows: filterRows(allRows, allColumns, filter),
    allColumns,
    allRows,
  };
}

/** Long enough for a refresh or for the page and its CSV, and far below the ten seconds after which a permission has to be asked for again. */
const SHARED_MS = 3_000;
const MAX_CACHED = 500;

const shared = new WeakMap<Clusters, LRUCache<string, Promise<ColumnReading>>>();

/** What one person, with the same groups, read of an environment a moment ago serves again. */
async function sharedReading(ports: EnvironmentPorts, actor: Actor, environment: EnvironmentView): Promise<ColumnReading> {
  const known = shared.get(ports.clusters) ?? new LRUCache<string, Promise<ColumnReading>>({ max: MAX_CACHED, ttl: SHARED_MS });
  shared.set(ports.clusters, known);
  const key = JSON.stringify([actorKey(actor), environment.name, environment.namespace]);
  let reading = known.get(key);
  if (reading === undefined) {
    reading = readColumn(ports, actor, environment);
    known.set(key, reading);
  }
  try {
    return { ...(await reading), environment };
  } catch (error) {
    known.delete(key);
    throw error;
  }
}

/** Pods are left out: workloads count their own. */
const WORKLOADS: ReadonlySet<string> = new Set(
  [DEPLOYMENT, STATEFUL_SET, DAEMON_SET, CRON_JOB, { group: 'argoproj.io', resource: 'rollouts' }].map(keyOf),
);

async function readColumn(ports: EnvironmentPorts, actor: Actor, environment: EnvironmentView): Promise<ColumnReading> {
  const entries = entriesFor(ports, actor);
  const reading = await readPlace(ports, actor, { environment });
  const { objects, resources, secrets, missing, unavailable } = reading;
  const ids = new Set(entries.map(({ summary }) => summary.id));
  const isOnBoard = (resource: string): boolean => WORKLOADS.has(resource) || ids.has(resource);
  const apps = new Map(entries.map(({ summary }) => [`${summary.group}/${summary.kind}`, summary.displayName]));
  const workloads = boardOf(workloadsIn(reading), resources).filter(({ resource }) => WORKLOADS.has(resource));
  return {
    environment,
    entries: boardEntries({ objects, resources, workloads, apps }).map((entry) => ({
      ...entry,
      ...redactTexts({ version: entry.version }, secrets),
    })),
    missing: missing.filter((one) => isOnBoard(keyOf(one))),
    unavailable,
  };
}

function keyOf({ group, resource }: { readonly group: string; readonly resource: string }): string {
  return group === '' ? resource : `${resource}.${group}`;
}
