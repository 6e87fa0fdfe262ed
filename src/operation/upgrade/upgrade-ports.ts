import type { Changelog } from '../../domain/chart/changelog.ts';
import type { ChartAccess } from '../../domain/chart/chart-access.ts';
import type { RenderableChart, RenderChart } from '../../domain/chart/rendered-chart.ts';
import type { ChartSource } from '../../domain/operator/operator-spec.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import type { FairQueue } from '../../domain/core/fair-queue.ts';
import { AppError } from '../../domain/core/errors.ts';
import type { NodeFacts } from '../../domain/preflight/node-capacity.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';

/** A chart in the cache. */
export interface UpgradeChart extends RenderableChart {
  readonly contents: RenderableChart['contents'] & {
    readonly metadata: {
      readonly version: string;
      readonly appVersion?: string;
      readonly description?: string;
      readonly home?: string;
      readonly kubeVersion?: string;
      readonly deprecated?: true;
      readonly keywords?: readonly string[];
      readonly changelog?: Changelog;
    };
    readonly values: JsonObject;
    /** Markdown; absent or empty when there is none. */
    readonly readme?: string;
  };
}

/** What Helm keeps of a release. */
export interface ReleaseRecord {
  readonly chart: UpgradeChart;
  /** Laid over those of the chart. */
  readonly values: JsonObject;
  /** Rendered, without CustomResourceDefinitions. */
  readonly objects: readonly KubeObject[];
}

/** Facts of the cluster that decide about a release, and that say nothing about what anybody has in it. */
export interface ClusterFacts {
  /** Undefined when the account may not list nodes, or there are too many to compare. */
  nodes(signal: AbortSignal): Promise<readonly NodeFacts[] | undefined>;
  /** The versions of the chart that an AppDefinition has offered, in any order. */
  chartVersions(wanted: Pick<WantedChart, 'definition'>, signal: AbortSignal): Promise<readonly string[]>;
  /** The digest of a version of the chart of an AppDefinition, of two archives the newest; undefined when there is none. */
  chartDigest(wanted: WantedChart, signal: AbortSignal): Promise<string | undefined>;
}

export interface WantedChart {
  /** The name of the AppDefinition. */
  readonly definition: string;
  readonly version: string;
}

/** What planning an upgrade needs besides the cluster. None of it asks the cluster for anything but its version. */
export interface UpgradePorts {
  readonly charts: {
    /** A pinned digest that is in the cache needs no network. */
    fetch(source: ChartSource, signal: AbortSignal, access: ChartAccess): Promise<UpgradeChart>;
    /** An archive that somebody uploaded. */
    read(bytes: Uint8Array, signal: AbortSignal): Promise<Pick<UpgradeChart, 'digest' | 'contents'>>;
    versions(source: Extract<ChartSource, { kind: 'repository' }>, signal: AbortSignal, access: ChartAccess): Promise<readonly string[]>;
  };
  readonly renderChart: RenderChart;
  /** Bytes of the record that Helm would write for a release. */
  readonly recordBytes: (request: ReleaseRecord, signal: AbortSignal) => Promise<number>;
  readonly now: () => Date;
  /** What the controller's account may read and people need not. */
  readonly known: ClusterFacts;
  /** Fetching and rendering for people goes through it. */
  readonly queue: FairQueue;
}

/**
 * Runs what fetches, renders and checks a chart while the actor waits for it, in turn with the checks of others. The time includes the wait for the turn.
 *
 * @throws AppError `ChartUnreachable` when the time is up, and whatever the queue and the task throw.
 */
export async function runQueued<T>(
  { queue }: Pick<UpgradePorts, 'queue'>,
  { actor, milliseconds }: { readonly actor: Actor; readonly milliseconds: number },
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.timeout(milliseconds);
  try {
    return await queue.run(actor.user, signal, () => task(signal));
  } catch (error) {
    throw orTimeout(error, signal);
  }
}

/** What was thrown; once the time of the signal is up, an AppError that says so. */
export function orTimeout(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof AppError || !signal.aborted) return error;
  const why = 'it could not be fetched, rendered and checked in time, because its source or the cluster is slow; try again later';
  return new AppError('ChartUnreachable', `chart: ${why}`, { cause: error });
}
