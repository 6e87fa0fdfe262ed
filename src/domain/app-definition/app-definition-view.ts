import { at, textAt } from '../core/read.ts';
import { findCondition, type Condition } from '../kubernetes/condition.ts';
import { specOf, statusOf } from '../kind/kind.ts';
import { etagOf } from '../kubernetes/etag.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { APP_DEFINITION_KIND, type AppDefinitionFields, type AppDefinitionStatus, type GeneratedNames } from './app-definition-kind.ts';
import { APP_REVISION_KIND } from './app-revision-kind.ts';

/** What an AppDefinition is doing, those that need somebody first. */
export const APP_DEFINITION_STATES = ['Failed', 'Deleting', 'Reconciling', 'Suspended', 'Ready'] as const;
export type AppDefinitionState = (typeof APP_DEFINITION_STATES)[number];

/** An AppDefinition as admins see it. */
export interface AppDefinitionView {
  readonly name: string;
  readonly displayName: string;
  readonly category: string;
  readonly state: AppDefinitionState;
  /** Of the condition Ready; empty before the first reconcile. */
  readonly message: string;
  readonly chart: DefinedChart;
  /** The CRDs of others that it publishes instead of a chart. */
  readonly published: readonly string[];
  /** Of the generated kind; absent before it exists. */
  readonly names?: GeneratedNames;
  /** The generated CustomResourceDefinition, which is the id of the App; absent before it exists. */
  readonly crd?: string;
  /** The current AppRevision. */
  readonly revision?: string;
  /** In the whole cluster; absent while they are not counted. */
  readonly instances?: number;
  readonly namespaceMode: AppDefinitionFields['namespaceMode'];
  readonly updatePolicy: AppDefinitionFields['updatePolicy'];
  /** Absent where the generated kind has no subresource scale. */
  readonly scale?: NonNullable<AppDefinitionFields['scale']>;
  /** With `updatePolicy: Automatic`. */
  readonly rollout?: NonNullable<AppDefinitionStatus['rollout']>;
  /** When instances expire, with durations as they are written; absent where the spec does not say. */
  readonly expiry?: { readonly after?: string; readonly warnBefore?: string; readonly gracePeriod?: string };
  readonly deletionPolicy: AppDefinitionFields['deletionPolicy'];
  readonly allowedResources: AppDefinitionFields['allowedResources'];
  readonly permissions: AppDefinitionFields['permissions'];
  readonly suspended: boolean;
  readonly conditions: readonly Condition[];
  /** RFC 3339. */
  readonly created: string;
  readonly etag: string;
}

/** The chart that new instances get. */
export interface DefinedChart {
  /** Where the spec says it is: the address of a repository or of an archive. */
  readonly address: string;
  readonly name?: string;
  readonly version?: string;
  readonly appVersion?: string;
  readonly digest?: string;
  /** A newer version that the repository offers. */
  readonly availableVersion?: string;
}

/** @throws AppError `InvalidInput` for a resource that its CRD would not let in. */
export function appDefinitionView(definition: KubeObject): AppDefinitionView {
  const { metadata } = definition;
  const spec = specOf(APP_DEFINITION_KIND, definition);
  const status = statusOf(APP_DEFINITION_KIND, definition);
  const { names, crd, revision, instances, rollout, published, conditions } = status;
  return {
    name: metadata.name,
    displayName: spec.catalog.displayName ?? metadata.name,
    category: spec.catalog.category ?? 'Other',
    state: stateOf(definition, spec, conditions),
    message: findCondition(conditions, 'Ready')?.message ?? '',
    chart: chartOf(spec, status),
    published,
    ...(names === undefined ? {} : { names }),
    ...(crd === undefined ? {} : { crd }),
    ...(revision === undefined ? {} : { revision }),
    ...(instances === undefined ? {} : { instances }),
    namespaceMode: spec.namespaceMode,
    updatePolicy: spec.updatePolicy,
    ...(spec.scale === undefined ? {} : { scale: spec.scale }),
    ...(rollout === undefined ? {} : { rollout }),
    ...(at(definition.spec, 'expiry') === undefined ? {} : { expiry: durationsAt(definition.spec) }),
    deletionPolicy: spec.deletionPolicy,
    allowedResources: spec.allowedResources,
    permissions: spec.permissions,
    suspended: spec.suspend,
    conditions,
    created: metadata.creationTimestamp ?? '',
    etag: etagOf(definition),
  };
}

function durationsAt(spec: unknown): NonNullable<AppDefinitionView['expiry']> {
  const written = ['after', 'warnBefore', 'gracePeriod'].map((key) => [key, textAt(spec, 'expiry', key)] as const);
  return Object.fromEntries(written.filter(([, text]) => text !== undefined));
}

function stateOf({ metadata }: KubeObject, { suspend }: AppDefinitionFields, conditions: readonly Condition[]): AppDefinitionState {
  if (metadata.deletionTimestamp !== undefined) return 'Deleting';
  const ready = findCondition(conditions, 'Ready')?.status;
  if (suspend) return 'Suspended';
  if (ready === 'True') return 'Ready';
  const isWorking = findCondition(conditions, 'Reconciling')?.status === 'True' || ready === undefined || ready === 'Unknown';
  return isWorking && findCondition(conditions, 'Stalled')?.status !== 'True' ? 'Reconciling' : 'Failed';
}

function chartOf({ chart, chartURL }: AppDefinitionFields, status: AppDefinitionStatus): DefinedChart {
  const { availableVersion } = status;
  const wanted = chart === undefined ? {} : { name: chart.name, version: chart.version };
  return {
    address: chart?.repoURL ?? chartURL ?? '',
    ...wanted,
    ...status.chart,
    ...(availableVersion === undefined ? {} : { availableVersion }),
  };
}

/** One revision of a definition: the chart and schema that it had. */
export interface AppRevisionView {
  readonly name: string;
  readonly version: string;
  readonly appVersion: string;
  readonly digest: string;
  /** RFC 3339. */
  readonly created: string;
}

/** Newest first. Those that it had under a former name have that one in their spec, so its label selects them. */
export function appRevisionViews(revisions: readonly KubeObject[]): AppRevisionView[] {
  return revisions
    .map((revision) => ({ revision, spec: specOf(APP_REVISION_KIND, revision) }))
    .map(({ revision, spec }) => ({
      name: revision.metadata.name,
      version: spec.chart.version,
      appVersion: spec.chart.appVersion ?? '',
      digest: spec.digest,
      created: revision.metadata.creationTimestamp ?? '',
    }))
    .sort((a, b) => (a.created === b.created ? a.name.localeCompare(b.name) : a.created < b.created ? 1 : -1));
}
