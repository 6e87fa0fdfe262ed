import { findCondition, type Condition } from '../kubernetes/condition.ts';
import { specOf, statusOf } from '../kind/kind.ts';
import { creatorOf } from '../kubernetes/creator.ts';
import { etagOf } from '../kubernetes/etag.ts';
import { OURS } from '../kubernetes/names.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import {
  CATALOG_SOURCE_KIND,
  type HistoryEntry,
  originOfSpec,
  type PendingRemoval,
  type SourceFault,
  type SourceSpec,
  type SourceStatus,
} from './catalog-source.ts';
import type { GitSource, SourceCommit } from './git-source.ts';
import type { ReceiverType } from './receiver.ts';
import type { OciSource } from './oci-source.ts';

/** What a CatalogSource is doing, those that need somebody first. */
export const SOURCE_STATES = ['Failed', 'ApprovalNeeded', 'ConfirmationNeeded', 'Deleting', 'Syncing', 'Suspended', 'Synced'] as const;
export type SourceState = (typeof SOURCE_STATES)[number];

/** Where the content of a source comes from. */
export type SourceOrigin =
  | { readonly kind: 'Folder'; readonly path: string }
  | {
      readonly kind: 'Git' | 'Artifact';
      readonly url: string;
      /** `branch main`, `tag v1.0.0`, `semver >=1.0.0`, `commit 9f2c…`, or `the default branch`. */
      readonly ref: string;
      /** Empty: the whole repository. */
      readonly path: string;
      /** The Secret with the credentials, in the namespace chandlery-system. */
      readonly secret?: string;
    };

/** Settings that are in a source as they are in its spec. */
type SourceScope = Pick<SourceSpec, 'allowedKinds' | 'mode' | 'namespaces' | 'serviceAccount' | 'owner' | 'dependsOn'>;

/** A CatalogSource as admins see it. */
export interface SourceView extends SourceScope {
  readonly name: string;
  readonly state: SourceState;
  /** The reason of the condition Ready; empty before the first reconcile. */
  readonly reason: string;
  readonly message: string;
  /** What to do next; empty when there is nothing to do. */
  readonly advice: string;
  readonly origin: SourceOrigin;
  readonly revision?: string;
  readonly lastAppliedRevision?: string;
  /** RFC 3339. */
  readonly lastAppliedTime?: string;
  /** The revision that was applied last, while something of it is not live or not healthy. */
  readonly partialRevision?: string;
  /** How webhooks prove themselves, and the Secret with their token; absent when the source accepts none. */
  readonly receiver?: { readonly type: ReceiverType; readonly secret: string };
  /** Of the revision that was read last; absent for a folder. */
  readonly commit?: SourceCommit;
  /** Newest first. */
  readonly history: readonly HistoryEntry[];
  /** Seconds between two looks at the source. */
  readonly intervalSeconds: number;
  /** Seconds after which everything is applied again although nothing changed. */
  readonly selfHealIntervalSeconds: number;
  /** How many seconds a revision may take to become healthy; absent when the source does not wait for that. */
  readonly healthTimeoutSeconds?: number;
  readonly suspended: boolean;
  readonly prune: boolean;
  /** How many resources it owns. */
  readonly resources: number;
  readonly faults: readonly SourceFault[];
  readonly conditions: readonly Condition[];
  /** The folder or address that has to be confirmed, because the resources of the source come from another one. */
  readonly awaitsConfirmation?: string;
  /** Resources without a document that are not removed yet, at most 100. */
  readonly pendingRemovals: readonly PendingRemoval[];
  /** How many there are. */
  readonly removals: number;
  /** The revision whose removals can be approved: those that wait for it, and those that would be removed later. */
  readonly awaitsApproval?: string;
  readonly created: string;
  /** The user who created it through pages or API, as its annotation says: no proof. */
  readonly createdBy?: string;
  readonly etag: string;
}

/** @throws AppError `InvalidInput` for a resource that its CRD would not let in. */
export function sourceView(source: KubeObject): SourceView {
  const { metadata } = source;
  const spec = specOf(CATALOG_SOURCE_KIND, source);
  const status = statusOf(CATALOG_SOURCE_KIND, source);
  const state = stateOf(source, spec, status);
  const ready = findCondition(status.conditions, 'Ready');
  const { revision, lastAppliedRevision, lastAppliedTime, partialRevision, commit, history } = status;
  const { receiver } = spec;
  return {
    name: metadata.name,
    state,
    reason: ready?.reason ?? '',
    message: messageOf(state, ready),
    advice: adviceOn(state, { reason: ready?.reason ?? '', spec, name: metadata.name }),
    origin: originOf(spec),
    ...(revision === undefined ? {} : { revision }),
    ...(lastAppliedRevision === undefined ? {} : { lastAppliedRevision }),
    ...(lastAppliedTime === undefined ? {} : { lastAppliedTime }),
    ...(partialRevision === undefined ? {} : { partialRevision }),
    ...(receiver === undefined ? {} : { receiver: { type: receiver.type, secret: receiver.secretRef.name } }),
    ...(commit === undefined ? {} : { commit }),
    history,
    intervalSeconds: spec.interval / 1000,
    selfHealIntervalSeconds: spec.selfHealInterval / 1000,
    ...(spec.wait ? { healthTimeoutSeconds: spec.timeout / 1000 } : {}),
    ...scopeOf(spec),
    suspended: spec.suspend,
    prune: spec.prune,
    resources: status.inventory.length,
    faults: status.faults,
    conditions: status.conditions,
    ...(state === 'ConfirmationNeeded' ? { awaitsConfirmation: originOfSpec(spec) } : {}),
    pendingRemovals: status.pendingRemovals,
    removals: status.removals ?? 0,
    ...(status.pendingRemovals.length > 0 && revision !== undefined ? { awaitsApproval: revision } : {}),
    created: metadata.creationTimestamp ?? '',
    ...creatorOf(source),
    etag: etagOf(source),
  };
}

function scopeOf({ allowedKinds, mode, namespaces, serviceAccount, owner, dependsOn }: SourceSpec): SourceScope {
  return {
    ...(allowedKinds === undefined ? {} : { allowedKinds }),
    mode,
    namespaces,
    ...(serviceAccount === undefined ? {} : { serviceAccount }),
    ...(owner === undefined ? {} : { owner }),
    dependsOn,
  };
}

function stateOf({ metadata }: KubeObject, { suspend }: SourceSpec, status: SourceStatus): SourceState {
  if (metadata.deletionTimestamp !== undefined) return 'Deleting';
  if (suspend) return 'Suspended';
  const ready = findCondition(status.conditions, 'Ready');
  const requested = metadata.annotations?.[OURS.reconcileAt];
  const isHandled = requested === undefined || requested === status.lastHandledReconcileAt;
  if (ready === undefined || status.observedGeneration !== metadata.generation || !isHandled || ready.reason === 'Suspended')
    return 'Syncing';
  if (ready.status === 'True') return 'Synced';
  if (ready.reason === 'PruneNotApproved') return 'ApprovalNeeded';
  return ready.reason === 'OriginChanged' ? 'ConfirmationNeeded' : 'Failed';
}

function messageOf(state: SourceState, ready: Condition | undefined): string {
  switch (state) {
    case 'Deleting':
      return 'The source is being deleted';
    case 'Suspended':
      return 'The source is suspended: nothing is read and nothing is applied';
    case 'Syncing':
      return 'The controller is reading the source';
    case 'Failed':
    case 'ApprovalNeeded':
    case 'ConfirmationNeeded':
    case 'Synced':
      return ready?.message ?? '';
    default:
      return state satisfies never;
  }
}

/** What a person does about a reason, where that is not in its message. */
function adviceOn(state: SourceState, { reason, spec, name }: { reason: string; spec: SourceSpec; name: string }): string {
  if (state === 'Suspended') return 'Resume the source to sync again.';
  if (state === 'ApprovalNeeded')
    return 'Check the pending removals. Restore the missing documents to undo them, keep a resource, or approve the removals.';
  if (state === 'ConfirmationNeeded')
    return 'Confirm the new origin only if it is to take the place of the old one. Nothing changes until then.';
  if (state !== 'Failed') return '';
  switch (reason) {
    case 'Invalid':
      return spec.folder !== undefined
        ? 'Correct the file at the named line. The change is live within seconds.'
        : 'Correct the file at the named line and push a commit. Until then the last applied revision stays.';
    case 'FolderEmpty':
      return `Nothing is deleted. Put the files back; to delete the resources, delete the CatalogSource ${name}.`;
    case 'FolderMissing':
      return 'Nothing is deleted. Create the folder on the machine of the controller, or correct spec.folder.path.';
    case 'GitUnavailable':
      return spec.git?.secretRef === undefined
        ? 'Nothing is deleted. Correct spec.git, or add a Secret with credentials; Chandlery tries again every 15 seconds.'
        : `Nothing is deleted. Check spec.git, and the Secret ${spec.git.secretRef.name} in ${OURS.systemNamespace}; Chandlery tries again every 15 seconds.`;
    case 'ArtifactUnavailable':
      return 'Nothing is deleted. Correct spec.oci or its Secret; Chandlery tries again every 15 seconds.';
    case 'VerificationFailed':
      return 'Nothing is deleted. Find out who made the revision; then sign it, or add the public key to the Secret of verify.';
    default:
      return '';
  }
}

function originOf({ folder, git, oci }: SourceSpec): SourceOrigin {
  const read = git ?? oci;
  if (read === undefined) return { kind: 'Folder', path: folder?.path ?? '' };
  const { url, path, secretRef } = read;
  const secret = secretRef === undefined ? {} : { secret: secretRef.name };
  const kind = git === undefined ? 'Artifact' : 'Git';
  return { kind, url, ref: refWords(read.ref, git === undefined ? 'the tag latest' : 'the default branch'), path, ...secret };
}

/** The ref of a repository or artifact in words. */
function refWords(ref: GitSource['ref'] | OciSource['ref'] = {}, unset: string): string {
  const [set] = Object.entries(ref).filter(([, value]) => value !== undefined);
  return set === undefined ? unset : `${set[0]} ${set[1]}`;
}
