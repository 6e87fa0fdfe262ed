import type { ReportedExpiry } from '../app-instance/expiry.ts';
import type { Condition } from '../kubernetes/condition.ts';
import type { FieldFault, MissingPermission } from '../core/errors.ts';
import type { Health } from '../health/health.ts';
import type { Findings, PreflightVerdict, Remedy } from '../preflight/findings.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import type { ReleaseImage } from '../workload/pod-template.ts';
import type { PreviewedObjects } from '../upgrade/preview/previewed-objects.ts';
import type { ValueChange } from '../values/value-change.ts';

/** One App installed in one Environment, as a row shows it. */
export interface InstanceSummary {
  readonly environment: string;
  readonly app: string;
  readonly appName: string;
  readonly kind: string;
  readonly name: string;
  /** RFC 3339. */
  readonly created: string;
  readonly health: Health;
  readonly deleting: boolean;
  /** Absent while its end is far, or there is none. */
  readonly expiry?: ReportedExpiry;
}

/** An Instance with its own object; metadata.managedFields are taken out. */
export interface InstanceView extends InstanceSummary {
  /** With a stand-in, `<masked: spec.adminPassword>`, for each sensitive value. */
  readonly object: KubeObject;
  /** The paths of the masked values. */
  readonly masked: readonly string[];
  readonly conditions: readonly Condition[];
  /** The user who created it through pages or API, as its annotation says: no proof. */
  readonly createdBy?: string;
  readonly generation: number;
  readonly observedGeneration: number | undefined;
  /** As the `ETag` header, for `If-Match`; see `etagOf`. */
  readonly etag: string;
}

/** `<uid>.<generation>`: changes with the spec of an Instance, not whenever the status does. */
export function specVersionOf({ metadata }: KubeObject): string {
  return `${metadata.uid ?? ''}.${metadata.generation ?? 0}`;
}

/** A masked value of an Instance, as somebody asked to see it. */
export interface RevealedValue {
  readonly path: string;
  readonly value: string | number | bigint | boolean;
}

/** What would happen, found out before anything is written (design section 8). */
export interface Preflight {
  readonly verdict: PreflightVerdict;
  /** The object exactly as it would be sent. */
  readonly object: KubeObject;
  /** The object as the api-server would store it, when its dry run succeeded. */
  readonly result?: KubeObject;
  readonly warnings: readonly string[];
  /** Why it is blocked: each with the field it belongs to, where there is one. */
  readonly faults: readonly FieldFault[];
  /** The permissions that are missing, what would grant each, and all of that as one YAML stream. */
  readonly missing: readonly MissingPermission[];
  readonly remedies: readonly Remedy[];
  readonly grant?: string;
  /** What would happen and what stands against it, line by line, each with the evidence for it. */
  readonly findings: Findings;
  /** What differs: for a new instance from its defaults, for a change from what is live. Sorted by path. */
  readonly changes: readonly ValueChange[];
  /** Of an instance of a chart: what becomes of the objects of its release, as the chart renders them. */
  readonly objects?: PreviewedObjects;
  /** The images that its pods run. */
  readonly images?: readonly ReleaseImage[];
  readonly commands: Commands;
}

/** The same act for automation. */
export interface Commands {
  /** A shell command with the object on standard input. */
  readonly kubectl: string;
  readonly curl: string;
  /** The object as a YAML file. */
  readonly yaml: string;
  /** Where such a file could lie in a repository: `team-a/caches/orders.yaml`; empty where there is none. */
  readonly file: string;
  /** Of an Operator: the installation of its chart without Chandlery. */
  readonly helm?: HelmCommand;
}

export interface HelmCommand {
  readonly text: string;
  /** What Chandlery does and the command does not, a sentence each. */
  readonly notes: readonly string[];
}

/** An Event of the cluster about a resource. */
export interface EventView {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly kind: string;
  readonly name: string;
  readonly count: number;
  /** RFC 3339. */
  readonly firstSeen: string;
  /** RFC 3339. */
  readonly lastSeen: string;
  /** A Warning about a resource that is healthy now. */
  readonly resolved: boolean;
}
