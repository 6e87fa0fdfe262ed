import type { FailedRules } from '../health-rules.ts';
import type { ChartAccess } from '../../domain/chart/chart-access.ts';
import type { RenderableChart, RenderChart } from '../../domain/chart/rendered-chart.ts';
import type { Cluster, Discovery, EventRecorder } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { ChartSource } from '../../domain/operator/operator-spec.ts';
import type { UploadsPort } from '../helm-release/ports.ts';
import type { ChartValuesSource } from '../../schema/structural/chart-structure.ts';

/** A chart that was fetched. */
export interface DefinitionChart {
  /** `sha256:<hex>` of the packed bytes. */
  readonly digest: string;
  readonly contents: Omit<ChartValuesSource, 'metadata'> & {
    readonly metadata: ChartValuesSource['metadata'] & {
      readonly name: string;
      readonly version: string;
      readonly appVersion?: string;
      readonly kubeVersion?: string;
      readonly description?: string;
    };
    readonly crds: readonly KubeObject[];
  };
}

/** What finding the requirements of a chart needs of the world. */
export interface RequirementPorts {
  readonly charts: { fetch(source: ChartSource, signal: AbortSignal, access: ChartAccess): Promise<RenderableChart> };
  readonly renderChart: RenderChart;
  readonly discovery: Pick<Discovery, 'kinds'>;
}

/** What reconciling AppDefinitions needs of the world. */
export interface DefinitionPorts {
  /** As the controller's own account. */
  readonly cluster: Pick<
    Cluster,
    'get' | 'list' | 'listMetadata' | 'pages' | 'create' | 'apply' | 'applyStatus' | 'patch' | 'delete' | 'review'
  >;
  readonly charts: {
    /** @param access what the Secrets say that `source` names. */
    fetch(source: ChartSource, signal: AbortSignal, access: ChartAccess): Promise<DefinitionChart>;
    has(digest: string): Promise<boolean>;
  };
  /** Health rules that failed where they were evaluated; absent: none. */
  readonly failedRules?: FailedRules;
  /** Absent: uploaded charts are looked up once an interval, as all others. */
  readonly uploads?: UploadsPort;
  /** As they are watched. */
  readonly environments: { all(): readonly KubeObject[] };
  readonly definitions: { all(): readonly KubeObject[] };
  /** All CustomResourceDefinitions. */
  readonly crds: { all(): readonly KubeObject[] };
  /** What tells the requirements of charts; absent: nobody does. */
  readonly requirements?: RequirementPorts;
  readonly events: EventRecorder;
  readonly now: () => Date;
}
