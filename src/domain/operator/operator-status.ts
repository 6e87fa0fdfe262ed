import type { Condition } from '../kubernetes/condition.ts';
import { parseDeletionStatus, type DeletionStatus } from './deletion.ts';
import { parsePendingUpgrade, type PendingUpgrade } from '../upgrade/pending-upgrade.ts';
import { listAt, numberAt, objectAt, textAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { parseHistory, type Revision } from './revision-history.ts';
import { parseRollback, type Rollback } from './rollback.ts';
import type { EffectiveLeaf } from '../values/layers.ts';

const CRD_ORIGINS = ['crds', 'template', 'hook', 'runtime', 'former'] as const;
/**
 * Where a CustomResourceDefinition came from: the `crds/` folder, a template, a Helm 2 `crd-install` hook, the operator itself while it ran, or an
 * earlier version of the chart, so that the one of today does not hold it any more.
 */
export type CrdOrigin = (typeof CRD_ORIGINS)[number];

/** The values of `status.status`. */
export const LEGACY_STATUSES = ['READY', 'INSTALLING', 'ERROR', 'DELETING'] as const;
export type LegacyStatus = (typeof LEGACY_STATUSES)[number];

export interface CrdStatus {
  readonly name: string;
  readonly kind: string;
  readonly origin: CrdOrigin;
  readonly established: boolean;
  /** Counted only while the Operator is being deleted. */
  readonly instances?: number;
}

/** The last attempt to fetch, install or upgrade. */
export interface Attempt {
  /** Over chart, values and Kubernetes minor; absent when the chart could not be fetched. */
  readonly digest?: string;
  readonly chartDigest?: string;
  readonly generation: number;
  /** What a person had asked for by an annotation (see `Work.requestedAt`); empty when nobody had. */
  readonly requestedAt: string;
  /** A digest over the versions of what the spec refers to; absent when they were not known. */
  readonly references?: string;
  /** The annotation `chandlery.dev/force-at` that was carried out last; absent when none was. */
  readonly forcedAt?: string;
  /** RFC 3339. */
  readonly time: string;
}

export interface OperatorStatus {
  readonly status?: LegacyStatus;
  readonly observedGeneration?: number;
  /** The annotation `chandlery.dev/reconcile-at` that was handled last. */
  readonly lastHandledReconcileAt?: string;
  readonly customResourceDefinitions: readonly string[];
  readonly chart?: { readonly name: string; readonly version: string; readonly appVersion?: string; readonly digest: string };
  /** A newer version of the chart: of the range that is asked for, or, for an exact version, of all released ones. */
  readonly availableVersion?: string;
  /** An upgrade that waits for somebody, or for the window. */
  readonly pendingUpgrade?: PendingUpgrade;
  /** Which layer set each value of the release, those of the chart aside. */
  readonly values: readonly EffectiveLeaf[];
  readonly release?: { readonly name: string; readonly namespace: string; readonly revision: number; readonly status: string };
  /** Newest first. */
  readonly history: readonly Revision[];
  /** The last rollback, until something else is installed. */
  readonly rollback?: Rollback;
  readonly crds: readonly CrdStatus[];
  /** Only while the Operator is being deleted. */
  readonly deletion?: DeletionStatus;
  readonly lastAttempted?: Attempt;
  readonly failures: number;
  readonly conditions: readonly Condition[];
}

/** Reads the status of an Operator; everything that is missing or foreign in it is left out. */
export function parseOperatorStatus(operator: KubeObject): OperatorStatus {
  const { status } = operator;
  const observedGeneration = numberAt(status, 'observedGeneration');
  const lastHandledReconcileAt = textAt(status, 'lastHandledReconcileAt');
  const availableVersion = textAt(status, 'availableVersion');
  const deletion = parseDeletionStatus(status);
  const pendingUpgrade = parsePendingUpgrade(status);
  const rollback = parseRollback(status);
  const word = parseLegacyStatus(textAt(status, 'status'));
  return {
    ...(word === undefined ? {} : { status: word }),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...(lastHandledReconcileAt === undefined ? {} : { lastHandledReconcileAt }),
    customResourceDefinitions: listAt(status, 'customResourceDefinitions').filter((item) => typeof item === 'string'),
    ...parseChart(objectAt(status, 'chart')),
    ...(availableVersion === undefined ? {} : { availableVersion }),
    ...(pendingUpgrade === undefined ? {} : { pendingUpgrade }),
    values: parseProvenance(status),
    ...parseRelease(objectAt(status, 'release')),
    history: parseHistory(status),
    ...(rollback === undefined ? {} : { rollback }),
    crds: listAt(status, 'crds').map((item) => parseCrd(item)),
    ...(deletion === undefined ? {} : { deletion }),
    ...parseAttempt(objectAt(status, 'lastAttempted')),
    failures: numberAt(status, 'failures') ?? 0,
    conditions: listAt(status, 'conditions') as readonly Condition[],
  };
}

/** Reads `status.values`. */
export function parseProvenance(status: unknown): readonly EffectiveLeaf[] {
  return listAt(status, 'values').map((item) => ({ path: textAt(item, 'path') ?? '', origin: textAt(item, 'origin') ?? '' }));
}

/** Whether the chart of today holds the definition. */
export function isInChart({ origin }: Pick<CrdStatus, 'origin'>): boolean {
  return origin !== 'runtime' && origin !== 'former';
}

/** The origin that a text names; `runtime` for anything unknown. */
export function parseCrdOrigin(text: string | undefined): CrdOrigin {
  return CRD_ORIGINS.find((origin) => origin === text) ?? 'runtime';
}

function parseLegacyStatus(text: string | undefined): LegacyStatus | undefined {
  return LEGACY_STATUSES.find((status) => status === text);
}

function parseChart(chart: unknown): Pick<OperatorStatus, 'chart'> {
  const [name, version, digest, appVersion] = ['name', 'version', 'digest', 'appVersion'].map((key) => textAt(chart, key));
  if (name === undefined || version === undefined || digest === undefined) return {};
  return { chart: { name, version, ...(appVersion === undefined ? {} : { appVersion }), digest } };
}

function parseRelease(release: unknown): Pick<OperatorStatus, 'release'> {
  const [name, namespace, status] = ['name', 'namespace', 'status'].map((key) => textAt(release, key));
  if (name === undefined || namespace === undefined || status === undefined) return {};
  return { release: { name, namespace, revision: numberAt(release, 'revision') ?? 0, status } };
}

function parseCrd(item: unknown): CrdStatus {
  const instances = numberAt(item, 'instances');
  return {
    name: textAt(item, 'name') ?? '',
    kind: textAt(item, 'kind') ?? '',
    origin: parseCrdOrigin(textAt(item, 'origin')),
    established: objectAt(item)['established'] === true,
    ...(instances === undefined ? {} : { instances }),
  };
}

function parseAttempt(attempt: unknown): Pick<OperatorStatus, 'lastAttempted'> {
  const time = textAt(attempt, 'time');
  if (time === undefined) return {};
  const digest = textAt(attempt, 'digest');
  const chartDigest = textAt(attempt, 'chartDigest');
  const references = textAt(attempt, 'references');
  const forcedAt = textAt(attempt, 'forcedAt');
  return {
    lastAttempted: {
      ...(digest === undefined ? {} : { digest }),
      ...(chartDigest === undefined ? {} : { chartDigest }),
      generation: numberAt(attempt, 'generation') ?? 0,
      requestedAt: textAt(attempt, 'requestedAt') ?? '',
      ...(references === undefined ? {} : { references }),
      ...(forcedAt === undefined ? {} : { forcedAt }),
      time,
    },
  };
}
