import type { FailedRules } from '../health-rules.ts';
import type { Cluster, Discovery, EventRecorder } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject, ObjectMeta } from '../../domain/kubernetes/resource.ts';
import type { ChartPort, HelmPort, UploadsPort } from '../helm-release/ports.ts';
import type { References } from '../helm-release/watch-references.ts';
import type { Log } from '../../observe/log.ts';
import type { ImageRewrite } from '../../domain/workload/image-rewrite.ts';
import type { RenderChart } from '../../domain/chart/rendered-chart.ts';

/** What reconciling Operators needs of the outside. */
export interface OperatorPorts {
  /** As the controller's own account. */
  readonly cluster: Pick<
    Cluster,
    'get' | 'list' | 'listMetadata' | 'pages' | 'create' | 'apply' | 'applyStatus' | 'patch' | 'replace' | 'delete' | 'review'
  >;
  readonly discovery: Pick<Discovery, 'kinds' | 'find' | 'invalidate'>;
  /** E.g. `1.36.3`. */
  readonly kubernetesVersion: (options: { readonly signal: AbortSignal }) => Promise<string>;
  readonly charts: ChartPort;
  /** Health rules that failed where they were evaluated; absent: none. */
  readonly failedRules?: FailedRules;
  /** Absent: uploaded charts are looked up once an interval, as all others. */
  readonly uploads?: UploadsPort;
  readonly renderChart: RenderChart;
  /** Those that Helm and `renderChart` apply. Default: none. */
  readonly imageRewrites?: readonly ImageRewrite[];
  readonly helm: HelmPort;
  readonly events: EventRecorder;
  /** The versions of what an Operator refers to, as far as they are known (see `watchReferences`). */
  readonly references?: Pick<References, 'revisionOf'>;
  /** All Environments, as far as they are known; absent: whose a namespace is, is asked before something is written, and not else. */
  readonly environments?: () => readonly KubeObject[];
  readonly log: Log;
  readonly now: () => Date;
  /** Who holds the leases of this process; different for each process. */
  readonly holder: string;
  /** A CRD as it is watched; undefined unless that is the version of it that the metadata is of. */
  readonly watchedCrd?: (version: ObjectMeta) => KubeObject | undefined;
  /** How many instances of a CRD there are, as they are watched; undefined while that is not known. */
  readonly instancesOf?: (crd: string) => number | undefined;
  /** Told when the lease of a release is lost while the release is changed. */
  readonly leaseLost?: () => void;
}
