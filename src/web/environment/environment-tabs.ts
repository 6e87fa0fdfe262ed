import {
  environmentMembersPath,
  environmentTimelinePath,
  environmentMonitoringPath,
  environmentPath,
  environmentResourcesPath,
  environmentWorkloadsPath,
  TIER_BOARD_PATH,
} from '../page/paths.ts';

/** The tabs of an environment, in the order in which they stand. */
const TABS = {
  overview: { label: 'Overview', pathOf: environmentPath },
  workloads: { label: 'Workloads', pathOf: environmentWorkloadsPath },
  resources: { label: 'Resources', pathOf: environmentResourcesPath },
  timeline: { label: 'Timeline', pathOf: environmentTimelinePath },
  monitoring: { label: 'Monitoring', pathOf: environmentMonitoringPath },
  members: { label: 'Members', pathOf: environmentMembersPath },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly pathOf: (environment: string) => string }>>;

/** A tab of the pages about an environment: a view of `parts/tabs`. */
export interface EnvironmentTab {
  readonly label: string;
  readonly href: string;
  readonly current: boolean;
}

export function environmentTabs(environment: string, current: keyof typeof TABS): EnvironmentTab[] {
  return Object.entries(TABS).map(([id, { label, pathOf }]) => ({ label, href: pathOf(environment), current: id === current }));
}

/** The tabs of the pages about all environments. */
export function environmentListTabs(current: 'list' | 'board'): EnvironmentTab[] {
  return [
    { label: 'Environments', href: '/environments', current: current === 'list' },
    { label: 'Tier board', href: TIER_BOARD_PATH, current: current === 'board' },
  ];
}
