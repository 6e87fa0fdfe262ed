import type { Changelog } from '../../chart/changelog.ts';
import type { PreviewedObjects } from './previewed-objects.ts';
import type { CrdSafety } from '../../operator/kind/upgrade-fields.ts';
import type { CrdFinding, InstanceFault } from '../crd-safety/finding.ts';
import type { UpgradePolicy } from '../../chart/chart-version.ts';
import type { MissingPermission } from '../../core/errors.ts';
import type { LabelledCommand } from '../../operator/operator-commands.ts';
import type { InstancePlace } from '../../operator/operator-instances.ts';
import type { Findings, Remedy } from '../../preflight/findings.ts';
import type { JsonObject } from '../../kubernetes/resource.ts';
import type { UnavailableKind } from '../../tree/tree.ts';
import type { Conversion } from '../../uplift/conversion.ts';
import type { MigrationChange, ValueDecisions } from './value-rows.ts';

/** What moving an Operator to another version of its chart would do, as far as the actor may know it. It holds no secret value. */
export interface UpgradePreview {
  readonly namespace: string;
  readonly name: string;
  readonly displayName: string;
  /** What is installed; absent when nothing is. */
  readonly from?: PreviewedChart;
  readonly to: PreviewedChart;
  /** Newer versions that the channel offers, newest first, at most twenty. */
  readonly availableVersions: readonly string[];
  readonly verdict: UpgradeVerdict;
  /** Sentences about what to know. */
  readonly warnings: readonly string[];
  readonly values: PreviewedValues;
  /** What the new chart asks about the values that the Operator sets itself. */
  readonly decisions: ValueDecisions;
  readonly objects: PreviewedObjects;
  readonly crds: PreviewedCrds;
  readonly fields: PreviewedFields;
  /** What a dry run says of each object of the release, and what goes with it. */
  readonly findings: Findings;
  /** What would let the controller's account do it, where it may not. */
  readonly remedies: readonly Remedy[];
  readonly instances: PreviewedInstances;
  /** Objects in legacy APIs that are carried over. */
  readonly conversions: readonly Conversion[];
  readonly timing: UpgradeTiming;
  /** The merge patch of `spec.values` that was asked about. */
  readonly proposedValues?: JsonObject;
  /** The same with kubectl and curl. */
  readonly commands: readonly LabelledCommand[];
}

export interface PreviewedChart {
  readonly name: string;
  readonly version: string;
  readonly appVersion?: string;
  /** `sha256:<hex>` */
  readonly digest: string;
  /** Absent when the chart has none for the version. */
  readonly changelog?: Changelog;
}

/** `Incomplete`: no blockers were found, and some checks could not run. */
export interface UpgradeVerdict {
  readonly kind: 'Safe' | 'Incomplete' | 'Blocked';
  /** The blockers, a sentence each. */
  readonly blockers: readonly string[];
  /** The checks that could not run and why, a sentence each. */
  readonly unchecked: readonly string[];
}

/** One effective value. */
export interface PreviewedValue {
  readonly path: string;
  /** The layer that sets it; for a removed one the layer that did. */
  readonly origin: string;
  readonly change: 'same' | 'changed' | 'added' | 'removed';
  /** JSON, cut when long; absent for what comes from a Secret, and where there is none. */
  readonly from?: string;
  readonly to?: string;
  readonly secret: boolean;
}

export interface PreviewedValues {
  /** What changes first, then by path. */
  readonly items: readonly PreviewedValue[];
  /** How many more there are. */
  readonly omitted: number;
  readonly missing: readonly MissingPermission[];
}

export interface PreviewedCrd {
  /** `<plural>.<group>` */
  readonly crd: string;
  readonly kind: string;
  readonly change: 'added' | 'changed' | 'same' | 'retained';
  readonly findings: readonly CrdFinding[];
  /** At most fifty stored instances that the new schema would not take. */
  readonly faults: readonly InstanceFault[];
  readonly faultCount: number;
  /** What it will ask about stored instances; absent where that is nothing, or where they may not be listed. */
  readonly affected?: AffectedInstances;
  /** What the api-server says against it. */
  readonly rejection?: string;
}

export interface PreviewedCrds {
  readonly items: readonly PreviewedCrd[];
  /** Whether what is unsafe stops the upgrade (`spec.upgrade.crdSafety`). */
  readonly safety: CrdSafety;
  readonly missing: readonly MissingPermission[];
}

/** A change that the api-server rejects, or would. */
export interface FieldRejection {
  /** `Deployment ns/name` */
  readonly object: string;
  /** `spec.selector`; empty when the answer names none. */
  readonly field: string;
  readonly message: string;
  /** The object must be deleted and made anew. */
  readonly recreate: boolean;
  /** Who says so: a dry run, or what is known of the kind. */
  readonly source: 'DryRun' | 'Rule';
}

export interface PreviewedFields {
  readonly rejections: readonly FieldRejection[];
  /** How many objects the api-server was asked about. */
  readonly checked: number;
  readonly missing: readonly MissingPermission[];
}

export interface PreviewedInstances {
  readonly namespaces: readonly InstancePlace[];
  readonly total: number;
  readonly missing: readonly MissingPermission[];
  /** Kinds whose instances nobody can list now. */
  readonly unavailable: readonly UnavailableKind[];
}

export const UPGRADE_STEPS = [
  'Installed',
  'Suspended',
  'Underway',
  'AwaitingApproval',
  'Pinned',
  'OutOfRange',
  'Superseded',
  'Older',
] as const;
/**
 * What has to happen before the version is installed. `Underway`: nothing, it is what the spec, the policy or an approval asks for, so it is installed
 * as soon as the window is open. `Superseded`: Automatic installs a newer one instead.
 */
export type UpgradeStep = (typeof UPGRADE_STEPS)[number];

export interface UpgradeTiming {
  readonly step: UpgradeStep;
  readonly policy: UpgradePolicy;
  /** `spec.chart.version`; absent for a `chartURL`. */
  readonly version?: string;
  readonly range?: string;
  /** The annotation as it is. */
  readonly approved?: string;
  /** Why that approval has no effect. */
  readonly fault?: string;
  readonly window?: { readonly description: string; readonly open: boolean; readonly opensAt: string };
  /** The permission that is missing to approve. */
  readonly missing?: MissingPermission;
}

/** What a changed CRD will ask about instances that are stored, as far as the actor may list them. It holds no value of theirs. */
export interface AffectedInstances {
  /** One for each change that there is. */
  readonly changes: readonly AffectedFields[];
  /** How many instances are affected at all. */
  readonly total: number;
  /** At most fifty of them. */
  readonly instances: readonly AffectedInstance[];
}

export interface AffectedFields {
  readonly change: MigrationChange;
  /** `spec.users[].name`, at most ten. */
  readonly fields: readonly string[];
  /** How many fields, at most a thousand. */
  readonly fieldCount: number;
  readonly instances: number;
}

export interface AffectedInstance {
  /** Absent when the kind is cluster-wide. */
  readonly namespace?: string;
  /** The Environment of the namespace; absent when there is none that the actor may see. */
  readonly environment?: string;
  readonly name: string;
  /** How many fields there are to decide about. */
  readonly rows: readonly { readonly change: MigrationChange; readonly count: number }[];
}
