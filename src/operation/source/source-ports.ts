import type { FairQueue } from '../../domain/core/fair-queue.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { SourceFault, SourceSpec } from '../../domain/source/catalog-source.ts';
import type { DocumentNeed } from '../../domain/source/apply-order.ts';
import type { KeptRevision } from '../../domain/source/kept-revisions.ts';
import type { Candidate } from '../../domain/source/check-documents.ts';
import type { ParsedFolder } from '../../domain/source/stock.ts';

/** What to read. */
export interface SourceContent {
  readonly source: KubeObject;
  /** Its spec, perhaps with another ref. */
  readonly spec: SourceSpec;
  /** Reads the Secrets of the source. */
  readonly cluster: Pick<Cluster, 'get'>;
}

/** A document as a dry run is asked for it. */
export interface DocumentDryRun {
  readonly candidate: Candidate;
  /** The name of the source. */
  readonly source: string;
  /** All sources. */
  readonly sources: readonly KubeObject[];
  readonly labels: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** What previews of sources need besides the cluster: the reading and the dry run of the reconciler. */
export interface SourcePreviewPorts {
  /**
   * Reads documents and leaves nothing on the disk.
   *
   * @throws AppError `GitUnavailable`, `ArtifactUnavailable`, `VerificationFailed`; `NotFound` for a folder that is away; as `cluster`.
   */
  readonly read: (content: SourceContent, signal: AbortSignal) => Promise<Extract<ParsedFolder, { kind: 'Read' }>>;
  /** What is wrong with a document, and what has to be there before it can be tried. @throws AppError when the cluster is away. */
  readonly dryRun: (
    cluster: Cluster,
    dryRun: DocumentDryRun,
  ) => Promise<{ readonly faults: readonly SourceFault[]; readonly needs?: DocumentNeed }>;
  /** The revisions of a folder whose files are kept, the newest first. Read as the controller: only for a user who may patch the source. */
  readonly keptRevisions: (source: KubeObject) => Promise<readonly KeptRevision[]>;
  /** Previews of people go through it. */
  readonly queue: FairQueue;
}
