import type { AuditLog } from '../../domain/audit/audit-log.ts';
import type { Cluster, DeployerAccount, Discovery, EventRecorder } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject, ResourceType } from '../../domain/kubernetes/resource.ts';
import type { RenderChart } from '../../domain/chart/rendered-chart.ts';
import type { ReleaseScope } from '../../domain/app-instance/release-scope.ts';
import type { ImageRewrite } from '../../domain/workload/image-rewrite.ts';
import type { ReleaseInfo } from '../../domain/operator/release.ts';
import type { ConnectionEntry } from '../../domain/operator/kind/connection-fields.ts';
import type { Log } from '../../observe/log.ts';
import type { EnvironmentSettings } from '../environment/environment-spec.ts';
import type { ChartPort, HelmPort, ReleaseChange, ReleaseRef, RollbackRequest } from '../helm-release/ports.ts';
import type { KnownReferrers, References } from '../helm-release/watch-references.ts';

/** What reconciling instances of generated kinds needs of the outside. */
export interface InstancePorts {
  /** As the controller's own account: instances, leases, release records by their metadata. */
  readonly cluster: Pick<Cluster, 'get' | 'list' | 'listMetadata' | 'create' | 'apply' | 'replace' | 'patch' | 'delete' | 'applyStatus'>;
  /** As a deployer: all that a release reads and writes. */
  readonly asDeployer: (account: DeployerAccount) => Deployer;
  /** As they are watched. */
  readonly definitions: { get(name: string): KubeObject | undefined };
  readonly revisions: { all(): readonly KubeObject[] };
  readonly environments: { all(): readonly KubeObject[] };
  /** The app of a kind; undefined when it is not in the catalogue. */
  readonly appOf: (type: { readonly group: string; readonly kind: string }) => SourceApp | undefined;
  /** What releases consist of, as it is watched: it may be a moment behind the cluster. */
  readonly watched: WatchedReleases;
  /** What instances refer to, by the keys of the instances. */
  readonly references: Pick<KnownReferrers, 'referencesOf' | 'remember'> & Pick<References, 'revisionOf'>;
  readonly environmentSettings: EnvironmentSettings;
  /** Dedicated namespaces in which something of Chandlery was changed since it was put right. */
  readonly changedNamespaces: Pick<Set<string>, 'delete'>;
  readonly discovery: Pick<Discovery, 'kinds' | 'find' | 'invalidate'>;
  /** E.g. `1.36.3`. */
  readonly kubernetesVersion: (options: { readonly signal: AbortSignal }) => Promise<string>;
  readonly charts: Pick<ChartPort, 'fetch' | 'contents'>;
  readonly renderChart: RenderChart;
  /** Those that Helm and `renderChart` apply. Default: none. */
  readonly imageRewrites?: readonly ImageRewrite[];
  /** Has `healthOf` know what the health rules of people say of objects; absent: there are none. */
  readonly health?: { evaluate(objects: readonly KubeObject[]): Promise<void> };
  readonly events: EventRecorder;
  /** Where what is done as a deployer is written down. Appending never rejects, and takes seconds at most. */
  readonly auditLog: Pick<AuditLog, 'append'>;
  readonly log: Log;
  readonly now: () => Date;
  /** Who holds the leases of this process; different for each process. */
  readonly holder: string;
  /** Told when the lease of a release is lost while the release is changed. */
  readonly leaseLost?: () => void;
}

export interface WatchedReleases {
  /** The metadata of the records of a release, all its revisions; undefined until all have been listed. */
  recordsOf(release: ReleaseRef): readonly KubeObject[] | undefined;
  /** The resource version of an object; undefined for one that is not watched or does not exist. */
  versionOf(object: KubeObject, namespace: string): string | undefined;
}

/** An app as others take outputs of its instances. */
export interface SourceApp extends ResourceType {
  readonly kind: string;
  readonly connection: readonly ConnectionEntry[];
  /** Of the whole object, in the version of the app. */
  readonly schema?: unknown;
  /** Paths of sensitive fields. */
  readonly sensitive: readonly string[];
}

/** The api-server and helm with the permissions of a deployer. */
export interface Deployer {
  readonly cluster: Pick<Cluster, 'get' | 'list' | 'apply' | 'patch' | 'delete' | 'review'>;
  readonly helm: InstanceHelm;
}

export interface ScopedChange extends ReleaseChange {
  /** What the objects of the release may be; helm writes nothing when one of them is something else. */
  readonly scope: ReleaseScope;
  /** Labels of the nodes that its pods have to run on. */
  readonly nodeSelector: Readonly<Record<string, string>>;
}

export interface InstanceHelm extends Pick<HelmPort, 'test' | 'uninstall' | 'unlock'> {
  install(request: ScopedChange, signal: AbortSignal): Promise<ReleaseInfo>;
  /** With `conflicts: 'force'`, what others have changed by hand is as the release has it again. */
  upgrade(request: ScopedChange & { readonly conflicts: 'force' }, signal: AbortSignal): Promise<ReleaseInfo>;
  /** Goes back to an earlier revision, as a new one. */
  rollback(
    request: RollbackRequest & { readonly conflicts: 'force'; readonly hooks?: 'skipped' },
    signal: AbortSignal,
  ): Promise<ReleaseInfo>;
  /** What is in the Secret that Helm keeps of a revision. @throws AppError `HelmFailed` for one that cannot be read. */
  readRecord(secret: KubeObject): Promise<RevisionRecord>;
}

/** What Helm keeps of a revision. */
export interface RevisionRecord {
  /** The release, its namespace and the revision that the record itself names. */
  readonly release: string;
  readonly namespace: string;
  readonly revision: number;
  /** Digest over all that Helm acts on. */
  readonly digest: string;
  /** Without hooks. */
  readonly objects: readonly KubeObject[];
  readonly hooks: readonly KubeObject[];
  /** Empty when it has none. */
  readonly notes: string;
}
