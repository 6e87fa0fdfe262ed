export const FINDING_SEVERITIES = ['Incompatible', 'Unsafe', 'Notice'] as const;
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];

/** Something that a new version of a CustomResourceDefinition changes. */
export interface CrdFinding {
  /** `v1 spec.size`, `v1`, or a member of the CRD such as `scope`. */
  readonly path: string;
  /** A clause: `the maximum falls from 10 to 5`. */
  readonly message: string;
  /** `Incompatible`: what is stored may be rejected or lost. `Unsafe`: what clients send may be rejected. `Notice`: worth knowing. */
  readonly severity: FindingSeverity;
}

/** A stored instance that a new schema would not take as it is. */
export interface InstanceFault {
  /** `Cache team-a/one` */
  readonly instance: string;
  /** `spec.size` */
  readonly path: string;
  /** A clause that holds no value of the instance. */
  readonly message: string;
}

/** What a new version of a CRD means for the cluster. */
export interface CrdVerdict {
  readonly crd: string;
  readonly findings: readonly CrdFinding[];
  readonly faults: readonly InstanceFault[];
  /** How many instances do not fit, when `faults` names only some of them. */
  readonly faultCount?: number;
  /** New rules in CEL that the instances could not be held against. */
  readonly unchecked?: readonly string[];
}
