import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { InstanceSummary } from '../../domain/instance/instance.ts';
import { type Badge, healthBadge, tierBadge } from '../page/badges.ts';
import { environmentPath, instancePath } from '../page/paths.ts';
import type { InstanceList } from '../../operation/instance/list-instances.ts';
import { type EnvironmentTab, environmentTabs } from './environment-tabs.ts';

export interface EnvironmentRow {
  readonly href: string;
  readonly name: string;
  readonly displayName: string;
  readonly namespace: string;
  readonly tier: Badge;
  readonly groups: EnvironmentView['groups'];
  readonly ready: boolean;
  readonly message: string;
}

export interface InstanceRow {
  readonly href: string;
  readonly name: string;
  readonly appName: string;
  readonly kind: string;
  readonly health: Badge;
  readonly message: string;
  readonly created: string;
  readonly deleting: boolean;
}

export interface EnvironmentPage {
  readonly environment: EnvironmentRow;
  readonly tabs: readonly EnvironmentTab[];
  readonly instances: readonly InstanceRow[];
  readonly unreadable: readonly string[];
  readonly unavailable: InstanceList['unavailable'];
  /** The name of an instance that was deleted just now. */
  readonly deleted?: string;
}

export function environmentsPage(
  environments: readonly EnvironmentView[],
  admin: boolean,
): { environments: EnvironmentRow[]; admin: boolean } {
  return { environments: environments.map(environmentRow), admin };
}

export function environmentPage(environment: EnvironmentView, list: InstanceList, deleted: string | undefined): EnvironmentPage {
  return {
    environment: environmentRow(environment),
    tabs: environmentTabs(environment.name, 'overview'),
    instances: list.instances.map(instanceRow),
    unreadable: list.unreadable,
    unavailable: list.unavailable,
    ...(deleted === undefined ? {} : { deleted }),
  };
}

export function environmentRow(environment: EnvironmentView): EnvironmentRow {
  const { name, displayName, namespace, groups, ready, message } = environment;
  return {
    href: environmentPath(name),
    name,
    displayName: displayName === '' ? name : displayName,
    namespace,
    tier: tierBadge(environment.tier),
    groups,
    ready,
    message,
  };
}

function instanceRow(instance: InstanceSummary): InstanceRow {
  return {
    href: instancePath(instance),
    name: instance.name,
    appName: instance.appName,
    kind: instance.kind,
    health: instance.deleting ? DELETING : healthBadge(instance.health.status),
    message: instance.health.message,
    created: instance.created,
    deleting: instance.deleting,
  };
}

/** What stands in the place of a health while something goes away. */
export const DELETING: Badge = { label: 'Deleting', tone: 'warn', symbol: 'trash' };
