import pMap from 'p-map';
import { ifFound } from '../../../domain/kubernetes/cluster.ts';
import { CRD } from '../../../domain/kubernetes/resource-types.ts';
import type { CrdStatus } from '../../../domain/operator/kind/status-fields.ts';
import { crdOwner, belongsToOperator, isLabelledFor } from '../../../domain/operator/crd-owner.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { parseCrdOrigin } from '../../../domain/operator/operator-status.ts';
import { listAt, textAt } from '../../../domain/core/read.ts';
import { isReservedCrd } from '../../../domain/kubernetes/reserved-objects.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import { ORIGIN_ANNOTATION } from '../../../domain/chart/extract-crds.ts';
import type { OperatorPorts } from '../ports.ts';
import type { ReleaseRef } from '../../helm-release/ports.ts';

/** A CRD of an Operator. */
export interface CrdFact extends CrdStatus {
  readonly object: KubeObject;
  readonly group: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** The storage version if it is served, else the first served one; empty when none is. */
  readonly version: string;
  /** Whether it carries our label already. */
  readonly labelled: boolean;
}

const AT_ONCE = 4;

interface Query {
  readonly label: string;
  /** Names of CRDs that the Operator says are its own. */
  readonly claims?: readonly string[];
  readonly signal: AbortSignal;
}

/** The CRDs with the Operator's label, those that its release registered at run time, and those that it claims and nobody else has. Sorted by name. */
export async function observeCrds(
  { cluster, watchedCrd }: Pick<OperatorPorts, 'cluster' | 'watchedCrd'>,
  release: ReleaseRef,
  { label, claims = [], signal }: Query,
): Promise<readonly CrdFact[]> {
  const { items } = await cluster.listMetadata(CRD, { signal });
  const own = items.filter(
    (object) => belongsToOperator(object, { label, release }) || (claims.includes(object.metadata.name) && crdOwner(object) === undefined),
  );
  const look = async ({ metadata }: KubeObject): Promise<CrdFact[]> => {
    const object = watchedCrd?.(metadata) ?? (await findCrd(cluster, metadata.name, signal));
    return object === undefined ? [] : [crdFactOf(object, label)];
  };
  // They are large, and there may be hundreds: those that are watched in the very version that the api-server has now are not read again.
  const found = await pMap(own, look, { concurrency: AT_ONCE });
  return found.flat().sort((a, b) => a.name.localeCompare(b.name));
}

/** The names of CRDs in a group of Chandlery's own that carry the labels or annotations of an Operator or of its release: its operator has registered them. */
export async function observeReservedCrds(
  cluster: OperatorPorts['cluster'],
  release: ReleaseRef,
  { label, signal }: Query,
): Promise<readonly string[]> {
  const { items } = await cluster.listMetadata(CRD, { signal });
  return items.filter((crd) => isReservedCrd(crd) && isLabelledFor(crd, { label, release })).map(({ metadata }) => metadata.name);
}

export async function findCrd(cluster: OperatorPorts['cluster'], name: string, signal: AbortSignal): Promise<KubeObject | undefined> {
  return await ifFound(cluster.get({ ...CRD, name }, { signal }));
}

/** Reads a CRD, live or about to be applied. */
export function crdFactOf(object: KubeObject, label: string): CrdFact {
  const { spec, metadata } = object;
  return {
    object,
    name: metadata.name,
    kind: textAt(spec, 'names', 'kind') ?? '',
    origin: parseCrdOrigin(metadata.annotations?.[ORIGIN_ANNOTATION]),
    established: isEstablished(object),
    group: textAt(spec, 'group') ?? '',
    plural: textAt(spec, 'names', 'plural') ?? '',
    namespaced: textAt(spec, 'scope') === 'Namespaced',
    version: versionOf(spec),
    labelled: metadata.labels?.[OURS.operatorLabel] === label,
  };
}

/** Whether the api-server serves the kind. */
export function isEstablished({ status }: KubeObject): boolean {
  return listAt(status, 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Established' && textAt(condition, 'status') === 'True',
  );
}

function versionOf(spec: unknown): string {
  const versions = listAt(spec, 'versions') as readonly { name?: string; served?: boolean; storage?: boolean }[];
  const served = versions.filter((version) => version.served === true);
  return (served.find((version) => version.storage === true) ?? served[0])?.name ?? '';
}
