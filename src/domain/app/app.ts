import type { AppReference, ReferableKind } from '../catalog/app-references.ts';
import type { Preset } from '../operator/kind/catalog-fields.ts';
import type { JsonObject, KubeObject } from '../kubernetes/resource.ts';

/** Whether an App can be installed now, and if not, why. */
export type Availability = 'Available' | 'Installing' | 'Unavailable';

/** An entry of the catalogue as a card shows it. */
export interface AppSummary {
  /** The name of its CustomResourceDefinition: `<plural>.<group>`; unique in the cluster, and what kubectl takes. */
  readonly id: string;
  readonly kind: string;
  readonly group: string;
  /** The served version that new instances use. */
  readonly version: string;
  readonly plural: string;
  readonly displayName: string;
  readonly summary: string;
  readonly category: string;
  readonly provider: string;
  readonly tags: readonly string[];
  /** An absolute https URL or a `data:image/…` URL. */
  readonly icon?: string;
  readonly docsURL?: string;
  readonly chartVersion?: string;
  readonly appVersion?: string;
  readonly availability: Availability;
  /** A sentence, when it is not available. */
  readonly availabilityMessage: string;
  /** The Operator that brings its kind; absent for one that an AppDefinition generates. */
  readonly operator?: { readonly namespace: string; readonly name: string };
  /** The AppDefinition that generates its kind, by name. */
  readonly definition?: string;
  /** The AppDefinition that publishes its kind, which somebody else installed. */
  readonly publishedBy?: string;
  /** Of the AppDefinition; absent without limits. */
  readonly limits?: AppLimits;
}

/** How many instances there may be, and how many there are in the whole cluster. */
export interface AppLimits {
  readonly maxInstances?: number;
  readonly perEnvironment?: number;
  readonly instances: number;
}

/** What brings the kind of an App, as people know it: its kind, and its name with its namespace. */
export function ownerOf({ operator, definition, publishedBy }: Pick<AppSummary, 'operator' | 'definition' | 'publishedBy'>): {
  readonly kind: string;
  readonly name: string;
} {
  return operator === undefined
    ? { kind: 'AppDefinition', name: definition ?? publishedBy ?? '' }
    : { kind: 'Operator', name: `${operator.namespace}/${operator.name}` };
}

/** A version of the kind, as the CustomResourceDefinition lists it. */
export interface AppVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
}

/** An App with all that its page and its form are made of. */
export interface App extends AppSummary {
  /** The chart's README, hostile Markdown until it has been rendered and sanitised. Empty when there is none. */
  readonly readme: string;
  readonly versions: readonly AppVersion[];
  /** The other kinds that its Operator brings. */
  readonly relatedApps: readonly AppSummary[];
  /** `openAPIV3Schema` of the version new instances use: the whole object, `spec` and `status` included. */
  readonly schema: JsonObject;
  /** What types the values of its chart that the schema leaves open; absent: nothing does. */
  readonly hints?: object;
  /** Dotted paths of curated fields in the order to show them, e.g. `spec.storage.size`. */
  readonly fields: readonly string[];
  /** Paths of what stands first where neither `fields` nor the example pick anything; absent: nothing. */
  readonly suggestedFields?: readonly string[];
  /** An example object, when the catalogue entry has one. */
  readonly example?: KubeObject;
  /** Markdown: how to use an instance. */
  readonly usage: string;
  readonly defaults: JsonObject;
  /** Dotted paths that the catalogue has locked, e.g. `spec.version`. */
  readonly locked: readonly string[];
  /** Paths of fields that the catalogue calls sensitive, e.g. `spec.users[*].pin`; absent: none. */
  readonly sensitive?: readonly string[];
  /** What the catalogue says that fields name; absent: nothing. */
  readonly references?: readonly AppReference[];
  /** The kinds of the other Apps that the actor sees, which fields may name; absent: none. */
  readonly otherKinds?: readonly ReferableKind[];
  /** Values that the form can be filled with, in the order to show them. */
  readonly presets: readonly Preset[];
}

/** The permissions of an actor on Apps of a kind in one environment. */
export interface InstancePermissions {
  readonly create: boolean;
  readonly update: boolean;
  readonly delete: boolean;
}

const API_VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;

/** Whether a version of a kind is newer than another one, as Kubernetes orders them: v2, v1, v1beta2, v1beta1, v1alpha1. A name of another form is older than all of these. */
export function isNewerApiVersion(version: string, other: string): boolean {
  const [a, b] = [rankOf(version), rankOf(other)];
  const differs = a.findIndex((part, index) => part !== b[index]);
  return differs >= 0 && (a[differs] ?? 0) > (b[differs] ?? 0);
}

function rankOf(version: string): readonly number[] {
  const [, major, stage, minor] = API_VERSION.exec(version) ?? [];
  if (major === undefined) return [0, 0, 0];
  return [stage === undefined ? 3 : stage === 'beta' ? 2 : 1, Number(major), Number(minor ?? 0)];
}
