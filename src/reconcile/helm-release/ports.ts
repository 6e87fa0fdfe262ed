import type { ChartAccess } from '../../domain/chart/chart-access.ts';
import type { PendingUpgrade } from '../../domain/operator/kind/status-fields.ts';
import type { ChartSource } from '../../domain/operator/operator-spec.ts';
import type { ReleaseInfo, TestReport, UnlockAction } from '../../domain/operator/release.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import type { ApprovalFault } from '../../domain/upgrade/upgrade-approval.ts';
import type { RenderableChart } from '../../domain/chart/rendered-chart.ts';

export interface Chart {
  /** `sha256:<hex>` of the packed bytes. */
  readonly digest: string;
  readonly path: string;
  /** Who signed it, as a clause; only where a signature was asked for. */
  readonly signer?: string;
  /** A newer version that the repository offers. */
  readonly availableVersion?: string;
  /** A newer version of the channel that somebody has to approve. */
  readonly pending?: PendingUpgrade;
  /** Why an approval has no effect. */
  readonly approvalFault?: ApprovalFault;
  readonly contents: {
    readonly metadata: { readonly name: string; readonly version: string; readonly appVersion?: string };
    readonly crds: readonly KubeObject[];
    readonly openApiSpec?: string;
  };
}

export interface ChartPort {
  /**
   * @param access what the Secrets say that `source` names.
   * @param have what the same source gave earlier, with the same access; a chart that is still the same is not read again.
   */
  fetch(source: ChartSource, signal: AbortSignal, access: ChartAccess, have?: Chart): Promise<Chart>;
  /** The versions that a repository offers. */
  versions(source: Extract<ChartSource, { kind: 'repository' }>, signal: AbortSignal, access: ChartAccess): Promise<readonly string[]>;
  /** What is rendered of a chart that was fetched; undefined when it is gone. */
  contents(digest: string): Promise<RenderableChart['contents'] | undefined>;
  /** Whether a chart that was fetched is still here. */
  has(digest: string): Promise<boolean>;
}

/** What is known of uploaded charts. */
export interface UploadsPort {
  /** Another text whenever the uploaded charts are others; empty for an Operator or AppDefinition that has none. */
  revisionOf(object: KubeObject): string;
}

export interface ReleaseRef {
  readonly release: string;
  readonly namespace: string;
}

export interface ReleaseChange extends ReleaseRef {
  readonly chartPath: string;
  readonly values: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
  /** CRDs are taken out, and legacy APIs carried over. */
  readonly postRender?: 'uplift';
  readonly historyLimit?: number;
  /** What must not show in an error. */
  readonly secrets?: readonly string[];
}

export interface RollbackRequest extends ReleaseRef {
  readonly revision: number;
  readonly historyLimit?: number;
  /** What must not show in an error. */
  readonly secrets?: readonly string[];
}

export interface TestRequest extends ReleaseRef {
  /** Bound on all tests together. */
  readonly timeoutMs?: number;
  /** What must not show in an error. */
  readonly secrets?: readonly string[];
}

export interface HelmPort {
  install(request: ReleaseChange, signal: AbortSignal): Promise<ReleaseInfo>;
  upgrade(request: ReleaseChange, signal: AbortSignal): Promise<ReleaseInfo>;
  /** The objects of the newest revision, without hooks. */
  manifest(ref: ReleaseRef, signal: AbortSignal): Promise<readonly KubeObject[]>;
  /** Goes back to an earlier revision, as a new one. */
  rollback(request: RollbackRequest, signal: AbortSignal): Promise<ReleaseInfo>;
  /** Runs the tests of the newest revision. */
  test(request: TestRequest, signal: AbortSignal): Promise<TestReport>;
  /** `skipped`: without the hooks of the chart. */
  uninstall(ref: ReleaseRef & { readonly hooks?: 'skipped' }, signal: AbortSignal): Promise<void>;
  /** The hooks of the newest revision. */
  hooks(ref: ReleaseRef, signal: AbortSignal): Promise<readonly KubeObject[]>;
  /** `toRevision` is where a rollback that never ended was bound for. */
  unlock(ref: ReleaseRef & { readonly toRevision?: number }, signal: AbortSignal): Promise<UnlockAction>;
}
