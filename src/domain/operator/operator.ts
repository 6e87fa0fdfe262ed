import type { OperatorDeletionPolicy } from './kind/operator-kind.ts';
import type { CrdStatus, LegacyStatus, PendingUpgrade, Revision } from './kind/status-fields.ts';
import type { Condition } from '../kubernetes/condition.ts';
import type { DeletionPreview } from './deletion.ts';
import type { SourceFault } from '../source/catalog-source.ts';

/** An Operator as admins see it. */
export interface OperatorView {
  readonly namespace: string;
  readonly name: string;
  readonly displayName: string;
  /** Of the catalogue; `Other` when it names none. */
  readonly category: string;
  /** The CatalogSource that keeps it; absent when nobody does. */
  readonly source?: string;
  /** `status.status`. */
  readonly status: LegacyStatus;
  readonly message: string;
  readonly chart: {
    readonly address: string;
    readonly name?: string;
    readonly version?: string;
    readonly appVersion?: string;
    readonly digest?: string;
    /** A newer version on offer. */
    readonly availableVersion?: string;
  };
  /** Which layer set each value of the release, those of the chart aside. */
  readonly values?: readonly { readonly path: string; readonly origin: string }[];
  readonly release?: { readonly name: string; readonly namespace: string; readonly revision: number; readonly status: string };
  readonly crds: readonly CrdStatus[];
  /** A newer revision that waits for somebody or for its time. */
  readonly pendingUpgrade?: PendingUpgrade;
  /** Revisions of the release, newest first. */
  readonly history: readonly Revision[];
  /** Only while it is being deleted. */
  readonly deletion?: DeletionPreview;
  readonly conditions: readonly Condition[];
  readonly deletionPolicy: OperatorDeletionPolicy;
  readonly suspended: boolean;
  readonly created: string;
  /** The user who created it through pages or API, as its annotation says: no proof. */
  readonly createdBy?: string;
  /** As the `ETag` header, for `If-Match`; see `etagOf`. */
  readonly etag: string;
}

/** A fault of the catalogue: its source, where, and a sentence about what to do. */
export interface CatalogFault extends SourceFault {
  readonly source: string;
  /** The path of the field in the resource, where no file is at fault: `spec.catalog.kinds[0].fields[2]`. */
  readonly field?: string;
}
