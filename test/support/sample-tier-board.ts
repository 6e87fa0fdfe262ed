import type { BoardEntry } from '../../src/domain/environment/board-entries.ts';
import type { EnvironmentView } from '../../src/domain/environment/environment.ts';
import {
  byTier,
  type ColumnReading,
  filterRows,
  type TierBoardFilter,
  tierColumn,
  tierRows,
} from '../../src/domain/environment/tier-board.ts';
import type { TierBoard } from '../../src/operation/environment/show-tier-board.ts';
import { SAMPLE_ENVIRONMENTS } from './sample-instances.ts';

const POSTGRES = 'postgresclusters.samples.chandlery.dev';

/** The same apps in each environment, which differ a little from tier to tier; the last environment cannot be read whole. */
export function sampleTierBoard(filter: TierBoardFilter, environments: readonly EnvironmentView[] = SAMPLE_ENVIRONMENTS): TierBoard {
  const sorted = environments.toSorted(byTier);
  const readings = sorted.map((environment, index): ColumnReading => {
    const isLast = index > 0 && index === sorted.length - 1;
    const missing = isLast ? [{ verb: 'list', group: 'apps', resource: 'deployments', namespace: environment.namespace }] : [];
    return { environment, entries: entriesAt(index, isLast), missing, unavailable: [] };
  });
  const allColumns = readings.map(tierColumn);
  const orders = { id: '1'.repeat(32), environment: 'shop', app: POSTGRES, name: 'orders' };
  const allRows = tierRows(readings, [orders]);
  return {
    columns: allColumns.filter(({ tier }) => filter.tier === undefined || tier === filter.tier),
    rows: filterRows(allRows, allColumns, filter),
    allColumns,
    allRows,
  };
}

function entriesAt(index: number, isLast: boolean): BoardEntry[] {
  const orders = entry({
    key: `${POSTGRES}/orders`,
    app: POSTGRES,
    appName: 'PostgreSQL',
    name: 'orders',
    version: index === 0 ? '17.1' : '16.4',
    compared: { instances: index === 0 ? 1 : 3, storage: { size: '10Gi' } },
  });
  const web = entry({
    key: 'workloads/shop-web',
    name: 'shop-web',
    version: `2.${4 - Math.min(index, 2)}`,
    canaryVersion: index === 1 ? '2.4' : '',
    health: { status: index === 1 ? 'Degraded' : 'Healthy', message: index === 1 ? 'The rollout has not progressed for 10 minutes' : '' },
    rollout: index === 1 ? { state: 'Stalled', percentage: 33 } : { state: 'Complete', percentage: 100 },
    compared: { image: { web: `registry.example.com/shop:2.${index}` } },
    workloads: [{ kind: 'Deployment', resource: 'deployments.apps', name: 'shop-web', version: '2.4', track: 'stable' }],
  });
  const archive = entry({ key: `${POSTGRES}/archive`, app: POSTGRES, appName: 'PostgreSQL', name: 'archive', suspended: true });
  return isLast ? [orders] : [orders, web, ...(index === 0 ? [archive] : [])];
}

function entry(rest: Partial<BoardEntry> & Pick<BoardEntry, 'key' | 'name'>): BoardEntry {
  return {
    app: '',
    appName: '',
    version: '',
    canaryVersion: '',
    health: { status: 'Healthy', message: '' },
    deleting: false,
    suspended: false,
    compared: {},
    workloads: [],
    ...rest,
  };
}
