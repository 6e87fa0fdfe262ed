import { booleanAt, numberAt } from '../core/read.ts';
import { instanceScale, type WorkloadScale, workloadScale } from './scale.ts';
import { type KubeObject, parseApiVersion } from '../kubernetes/resource.ts';

/** Annotation of a workload that sleeps: its replicas before, or, of a CronJob, whether it was suspended. */
const BEFORE_SLEEP = 'chandlery.dev/before-sleep';

/** What a workload is patched with. */
export interface WorkloadPatch {
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly annotations: Readonly<Record<string, string | null>>;
  };
  readonly spec?: { readonly replicas: number } | { readonly suspend: boolean };
}

type Scaling = 'Replicas' | 'Suspend';

const SCALED: Readonly<Record<string, Scaling>> = {
  'apps/Deployment': 'Replicas',
  'apps/StatefulSet': 'Replicas',
  'batch/CronJob': 'Suspend',
};

/** The workloads of a release that sleeps, or is to sleep or to wake. */
export interface SleepFact {
  /** What is to be done; empty when nothing is. */
  readonly changes: readonly { readonly workload: KubeObject; readonly patch: WorkloadPatch }[];
  /** `Deployment web (3 replicas)` */
  readonly asleep: readonly string[];
  readonly scale: WorkloadScale;
}

/** What the workloads among the objects of a release need to sleep, or to wake. Objects that do not exist are undefined. */
export function sleepFact(live: readonly (KubeObject | undefined)[], wanted: 'Sleep' | 'Wake'): SleepFact {
  const workloads = live.filter((object) => object !== undefined);
  return {
    changes: workloads.flatMap((workload) => {
      const patch = wanted === 'Sleep' ? sleepPatch(workload) : wakePatch(workload);
      return patch === undefined ? [] : [{ workload, patch }];
    }),
    asleep: workloads.flatMap((workload) => asleepName(workload) ?? []).sort(),
    scale: instanceScale(workloads.map(workloadScale)),
  };
}

/** Puts a workload to sleep; undefined when it runs nothing now, or cannot sleep. */
function sleepPatch(workload: KubeObject): WorkloadPatch | undefined {
  const scaling = scalingOf(workload);
  const before = scaling === undefined ? undefined : runningNow(workload, scaling);
  if (before === undefined) return undefined;
  return { metadata: metadataOf(workload, before), spec: scaling === 'Replicas' ? { replicas: 0 } : { suspend: true } };
}

/** Brings a workload back to how it was before it slept; undefined when it does not sleep. What somebody has started meanwhile goes on as it is. */
function wakePatch(workload: KubeObject): WorkloadPatch | undefined {
  const scaling = scalingOf(workload);
  const before = workload.metadata.annotations?.[BEFORE_SLEEP];
  if (scaling === undefined || before === undefined) return undefined;
  const metadata = metadataOf(workload, null);
  if (runningNow(workload, scaling) !== undefined) return { metadata };
  if (scaling === 'Suspend') return { metadata, spec: { suspend: before === 'true' } };
  return { metadata, spec: { replicas: /^\d{1,5}$/.test(before) ? Number(before) : 1 } };
}

/** `Deployment web (3 replicas)`; undefined for a workload that does not sleep. */
function asleepName({ kind, metadata }: KubeObject): string | undefined {
  const before = metadata.annotations?.[BEFORE_SLEEP];
  if (before === undefined) return undefined;
  const replicas = /^\d{1,5}$/.test(before) ? ` (${before} ${before === '1' ? 'replica' : 'replicas'})` : '';
  return `${kind} ${metadata.name}${replicas}`;
}

function scalingOf({ apiVersion, kind }: KubeObject): Scaling | undefined {
  return SCALED[`${parseApiVersion(apiVersion).group}/${kind}`];
}

/** The replicas to restore. */
function runningNow({ spec }: KubeObject, scaling: Scaling): string | undefined {
  if (scaling === 'Suspend') return booleanAt(spec, 'suspend') === true ? undefined : 'false';
  const replicas = numberAt(spec, 'replicas') ?? 1;
  return replicas > 0 ? String(replicas) : undefined;
}

/** Only this version of the workload, so that no count is lost. */
function metadataOf({ metadata }: KubeObject, before: string | null): WorkloadPatch['metadata'] {
  const { resourceVersion } = metadata;
  return { ...(resourceVersion === undefined ? {} : { resourceVersion }), annotations: { [BEFORE_SLEEP]: before } };
}
