import { at, textAt } from '../core/read.ts';
import { type Health, worstHealth } from '../health/health.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { kindKey, uidOf } from '../tree/object-index.ts';
import type { Rollout } from '../workload/rollout.ts';
import { type BoardWorkload, tracksOf } from './deploy-board.ts';
import type { EnvironmentResource } from './environment-resources.ts';
import { reportedVersion } from './environment-status.ts';

/** One app in one environment: an instance, or the workloads that name the same app. */
export interface BoardEntry {
  /** The same in each environment. */
  readonly key: string;
  /** The App of an instance; empty for workloads. */
  readonly app: string;
  /** The display name of the App; empty for workloads. */
  readonly appName: string;
  readonly name: string;
  /** Empty when nothing says so. */
  readonly version: string;
  /** Of its canary; empty when there is none. */
  readonly canaryVersion: string;
  /** Absent when nothing reports one. */
  readonly health?: Health;
  /** The least advanced of its workloads; absent when it has none. */
  readonly rollout?: Pick<Rollout, 'state' | 'percentage'>;
  readonly deleting: boolean;
  readonly suspended: boolean;
  /** The spec of an instance, the images of workloads by container: what is compared between tiers and never shown. */
  readonly compared: unknown;
  readonly workloads: readonly Pick<BoardWorkload, 'kind' | 'resource' | 'name' | 'version' | 'track'>[];
}

/** What is read of one environment for boards. */
export interface EntriesInput {
  readonly objects: readonly KubeObject[];
  readonly resources: readonly EnvironmentResource[];
  readonly workloads: readonly BoardWorkload[];
  /** The display names of Apps by the `group/Kind` of their instances. */
  readonly apps: ReadonlyMap<string, string>;
}

/** The instances of an environment, and the workloads that belong to none. */
export function boardEntries(input: EntriesInput): BoardEntry[] {
  const owned = Map.groupBy(input.workloads, ({ instance }) => (instance === undefined ? '' : `${instance.app}/${instance.name}`));
  const objects = new Map(input.objects.map((object) => [uidOf(object), object]));
  const plain = Map.groupBy(owned.get('') ?? [], (workload) => appNameOf(objects.get(workload.uid), workload.name));
  return [
    ...input.resources.flatMap((resource) => instanceEntry(resource, { apps: input.apps, owned, object: objects.get(resource.uid) })),
    ...[...plain].map(([name, workloads]) => workloadsEntry(name, workloads)),
  ];
}

interface InstanceInput extends Pick<EntriesInput, 'apps'> {
  readonly owned: ReadonlyMap<string, readonly BoardWorkload[]>;
  readonly object: KubeObject | undefined;
}

function instanceEntry(resource: EnvironmentResource, { apps, owned, object }: InstanceInput): BoardEntry[] {
  const { instance, owner, name, deleting, health } = resource;
  const appName = object === undefined ? undefined : apps.get(kindKey(object));
  if (instance === undefined || owner !== undefined || object === undefined || appName === undefined) return [];
  const key = `${instance.app}/${name}`;
  const workloads = owned.get(key) ?? [];
  return [
    {
      key,
      app: instance.app,
      appName,
      name,
      ...entryOf(workloads),
      version: reportedVersion(object) || entryOf(workloads).version,
      ...(health === undefined ? {} : { health }),
      deleting,
      suspended: at(object.spec, 'suspend') === true || health?.status === 'Suspended',
      compared: object.spec ?? {},
    },
  ];
}

function workloadsEntry(name: string, workloads: readonly BoardWorkload[]): BoardEntry {
  const health = worstHealth(workloads.flatMap((one) => (one.health === undefined ? [] : [one.health])));
  const stable = workloads.filter(({ track }) => track === 'stable');
  const images = (stable.length === 0 ? workloads : stable).flatMap((one) =>
    one.images.map(({ container, image }) => [container, image] as const),
  );
  return {
    key: `workloads/${name}`,
    app: '',
    appName: '',
    name,
    ...entryOf(workloads),
    ...(health === undefined ? {} : { health }),
    deleting: workloads.some(({ deleting }) => deleting),
    suspended: health?.status === 'Suspended',
    compared: { image: Object.fromEntries(images) },
  };
}

function entryOf(workloads: readonly BoardWorkload[]): Pick<BoardEntry, 'version' | 'canaryVersion' | 'rollout' | 'workloads'> {
  const versionOf = (track: 'stable' | 'canary'): string =>
    workloads.find((one) => one.track === track && one.version !== '')?.version ?? '';
  const canary = workloads.find((one) => one.track === 'stable' && tracksOf(one).includes('canary'));
  const rollout = worstRollout(workloads.map((one) => one.rollout));
  const stable = versionOf('stable');
  return {
    version: stable || versionOf('canary'),
    canaryVersion: stable === '' ? '' : versionOf('canary') || (canary?.version ?? ''),
    ...(rollout === undefined ? {} : { rollout }),
    workloads: workloads.map(({ kind, resource, name, version, track }) => ({ kind, resource, name, version, track })),
  };
}

/** From the one that needs nobody to the one that needs somebody. */
const BY_URGENCY: readonly Rollout['state'][] = ['Complete', 'Paused', 'Progressing', 'Stalled'];

function worstRollout(rollouts: readonly Rollout[]): BoardEntry['rollout'] {
  if (rollouts.length === 0) return undefined;
  const state = BY_URGENCY.findLast((one) => rollouts.some((rollout) => rollout.state === one)) ?? 'Complete';
  return { state, percentage: Math.min(...rollouts.map(({ percentage }) => percentage)) };
}

const NAMES = ['app.kubernetes.io/name', 'app.kubernetes.io/part-of', 'app.kubernetes.io/instance'];

/** By the recommended labels, the annotation of GitLab, the label `app`, or else the name of the workload. */
function appNameOf(object: KubeObject | undefined, name: string): string {
  const labels = NAMES.map((key) => textAt(object, 'metadata', 'labels', key));
  const others = [textAt(object, 'metadata', 'annotations', 'app.gitlab.com/app'), textAt(object, 'metadata', 'labels', 'app')];
  return ([...labels, ...others].find((text) => text !== undefined && text !== '') ?? name).slice(0, MAX_NAME_LENGTH);
}

const MAX_NAME_LENGTH = 100;
