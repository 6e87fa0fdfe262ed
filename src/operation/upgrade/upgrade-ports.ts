import type { ChartAccess } from '../../domain/chart/chart-access.ts';
import type { Dependency, Subchart } from '../../domain/chart/subcharts.ts';
import type { ChartSource } from '../../domain/operator/operator-spec.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import type { FairQueue } from '../../domain/core/fair-queue.ts';

/** A chart that is here. */
export interface UpgradeChart {
  /** `sha256:<hex>` */
  readonly digest: string;
  readonly path: string;
  readonly contents: {
    readonly metadata: {
      readonly name: string;
      readonly version: string;
      readonly appVersion?: string;
      readonly dependencies?: readonly Dependency[];
    };
    readonly values: JsonObject;
    /** values.schema.json. */
    readonly schema?: JsonObject;
    readonly subcharts?: readonly Subchart[];
    readonly openApiSpec?: string;
  };
}

export interface UpgradeRender {
  readonly chartPath: string;
  readonly release: string;
  readonly namespace: string;
  readonly values: JsonObject;
  readonly kubeVersion: string;
  readonly apiVersions: readonly string[];
  readonly isUpgrade: boolean;
  readonly crds: 'include';
  readonly secrets: readonly string[];
}

/** What Helm keeps of a release. */
export interface ReleaseRecord {
  readonly chart: UpgradeChart;
  /** Laid over those of the chart. */
  readonly values: JsonObject;
  /** Rendered, without CustomResourceDefinitions. */
  readonly objects: readonly KubeObject[];
}

/** What planning an upgrade needs besides the cluster. None of it asks the cluster for anything but its version. */
export interface UpgradePorts {
  readonly charts: {
    /** A pinned digest that is in the cache needs no network. */
    fetch(source: ChartSource, signal: AbortSignal, access: ChartAccess): Promise<UpgradeChart>;
    versions(source: Extract<ChartSource, { kind: 'repository' }>, signal: AbortSignal, access: ChartAccess): Promise<readonly string[]>;
  };
  /** As `helm template` does. */
  readonly render: (request: UpgradeRender, signal: AbortSignal) => Promise<readonly KubeObject[]>;
  /** Bytes of the record that Helm would write for a release. */
  readonly recordBytes: (request: ReleaseRecord, signal: AbortSignal) => Promise<number>;
  /** E.g. `1.36.3`. */
  readonly kubernetesVersion: (options: { readonly signal: AbortSignal }) => Promise<string>;
  readonly now: () => Date;
  /** Fetching and rendering for people goes through it. */
  readonly queue: FairQueue;
}
