import type { AppSummary } from '../../domain/app/app.ts';
import type { Cluster, Discovery } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { SourceSpec } from '../../domain/source/catalog-source.ts';
import type { GitCheckout, GitRequest } from '../../domain/source/git-source.ts';
import type { OciRequest } from '../../domain/source/oci-source.ts';
import type { ParsedFolder, ReadRevision } from '../../domain/source/stock.ts';
import type { Log } from '../../observe/log.ts';

/** The api-server, for what a source holds. */
export type SourceCluster = Pick<Cluster, 'get' | 'list' | 'apply' | 'applyStatus' | 'patch' | 'delete'>;

/** What keeping a folder in step needs of the outside. */
export interface SourcePorts {
  readonly git: {
    /** Brings a revision of a repository to the disk; throws AppError `GitUnavailable`, `EgressDenied`. */
    checkout(request: GitRequest, signal: AbortSignal): Promise<GitCheckout>;
    /** The folder of the revision that was brought last; undefined when there is none. */
    latest(request: Pick<GitRequest, 'source' | 'git'>): Promise<string | undefined>;
    /** Another folder of a commit that was brought, without asking the host; undefined when there is none. */
    beside(
      request: Pick<GitRequest, 'source' | 'git'>,
      other: { readonly commit: string; readonly path: string },
      signal: AbortSignal,
    ): Promise<string | undefined>;
  };
  readonly artifacts: {
    /** Brings a revision of an OCI artifact to the disk; throws AppError `ArtifactUnavailable`, `VerificationFailed`. */
    checkout(request: OciRequest, signal: AbortSignal): Promise<GitCheckout>;
    /** The folder of the revision that was brought last; undefined when there is none. */
    latest(request: Pick<OciRequest, 'source' | 'oci'>): Promise<string | undefined>;
  };
  /** Reads a folder and the documents in it. A kustomization in it is rendered. Without `read`, the digest of its content is its revision. `Unchanged`: it is the known one. */
  readonly readFolder: (
    path: string,
    options?: { readonly read?: ReadRevision; readonly known?: string; readonly kustomize?: string },
  ) => Promise<ParsedFolder>;
  /** A CatalogSource as a watch saw it last, by its name. */
  readonly cached: (name: string) => KubeObject | undefined;
  readonly events: {
    /** Writes an Event about an object; never throws. */
    record(
      about: KubeObject,
      event: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string },
    ): Promise<void>;
  };
  readonly discovery: Pick<Discovery, 'find'>;
  /** As the controller's own account. */
  readonly cluster: SourceCluster & Pick<Cluster, 'listMetadata' | 'create'>;
  /** The kinds of the catalogue, whose objects are instances. */
  readonly appKinds: () => readonly Pick<AppSummary, 'group' | 'version' | 'kind' | 'plural'>[];
  /** With the permissions of a ServiceAccount. */
  readonly asServiceAccount: (account: NonNullable<SourceSpec['serviceAccount']>) => SourceCluster;
  readonly log: Log;
  readonly now: () => Date;
}
