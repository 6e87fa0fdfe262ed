import { at, numberAt } from '../../domain/core/read.ts';
import { isAppInstance } from '../../domain/app-instance/instance.ts';
import type { InstancePermissions } from '../../domain/app/app.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import type { InstanceAddress } from '../../operation/instance/find-instance.ts';
import { appPath, environmentPath, instancePath, resourcePath } from '../page/paths.ts';

/** The tabs of an Instance, in the order in which they stand. */
const TABS = {
  overview: 'Overview',
  resources: 'Resources',
  workloads: 'Workloads',
  timeline: 'Timeline',
  history: 'History',
  logs: 'Logs',
} as const;
type InstanceTab = keyof typeof TABS;

/** A view of `parts/tabs`. */
export interface Tab {
  readonly label: string;
  readonly href: string;
  readonly current: boolean;
}

export function instanceTabs(instance: InstanceAddress, current: InstanceTab): Tab[] {
  return (Object.keys(TABS) as InstanceTab[]).map((tab) => ({
    label: TABS[tab],
    href: instanceTabPath(instance, tab),
    current: tab === current,
  }));
}

export function instanceTabPath(instance: InstanceAddress, tab: InstanceTab): string {
  return tab === 'overview' ? instancePath(instance) : `${instancePath(instance)}/${tab}`;
}

/** What stands above the tabs of an Instance: a view of `environments/instances/header`. */
export interface InstanceFrame {
  readonly name: string;
  readonly appName: string;
  readonly appHref: string;
  readonly created: string;
  /** Empty where nobody is recorded. */
  readonly createdBy: string;
  readonly environment: { readonly name: string; readonly displayName: string };
  /** Absent without the permission, or while it is deleted. */
  readonly changeHref?: string;
  readonly deleteHref?: string;
  /** Wakes it; absent without the permission, where there is no release, and while it is awake. */
  readonly wakeAction?: string;
  /** The page that puts it to sleep; absent without the permission, where there is no release, and while it is asleep. */
  readonly sleepHref?: string;
  /** The page that sets its replicas; absent without the permission, and where the kind has no scale. */
  readonly scaleHref?: string;
  readonly saveHref: string;
  readonly copyHref: string;
  readonly tabs: readonly Tab[];
  /** Where the page goes when the instance is gone. */
  readonly goneHref: string;
}

export interface FrameInput {
  readonly instance: InstanceView;
  readonly environment: EnvironmentView;
  readonly permissions: Omit<InstancePermissions, 'create'>;
}

export function instanceFrame({ instance, environment, permissions }: FrameInput, tab: InstanceTab): InstanceFrame {
  const { name, displayName } = environment;
  const href = instancePath(instance);
  return {
    name: instance.name,
    appName: instance.appName,
    appHref: appPath(instance.app),
    created: instance.created,
    createdBy: instance.createdBy ?? '',
    environment: { name, displayName: displayName === '' ? name : displayName },
    ...(permissions.update && !instance.deleting ? { changeHref: `${href}/edit` } : {}),
    ...(permissions.update && !instance.deleting ? { ...scalePart(instance), ...sleepPart(instance) } : {}),
    ...(permissions.delete && !instance.deleting ? { deleteHref: `${href}/delete` } : {}),
    saveHref: `${href}/save`,
    copyHref: `${href}/copy`,
    tabs: instanceTabs(instance, tab),
    goneHref: `${environmentPath(name)}?deleted=${encodeURIComponent(instance.name)}`,
  };
}

function scalePart({ environment, app, name, object }: InstanceView): Pick<InstanceFrame, 'scaleHref'> {
  const isScaled = isAppInstance(object) && numberAt(object.status, 'replicas') !== undefined;
  return isScaled ? { scaleHref: resourcePath(environment, { resource: app, name }, 'scale') } : {};
}

function sleepPart(instance: InstanceView): Pick<InstanceFrame, 'wakeAction' | 'sleepHref'> {
  const path = `${instancePath(instance)}/sleep`;
  const state = sleepState(instance);
  switch (state) {
    case 'Asleep':
      return { wakeAction: path };
    case 'Awake':
      return { sleepHref: path };
    case 'NoRelease':
      return {};
    default:
      return state satisfies never;
  }
}

/** Whether an instance is to sleep. Only releases of charts can. */
export function sleepState({ object }: Pick<InstanceView, 'object'>): 'Asleep' | 'Awake' | 'NoRelease' {
  if (!isAppInstance(object)) return 'NoRelease';
  return at(object.spec, 'sleep') === true ? 'Asleep' : 'Awake';
}
