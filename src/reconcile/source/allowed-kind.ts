import { OURS } from '../../domain/kubernetes/names.ts';
import { apiVersionOf, type ResourceType } from '../../domain/kubernetes/resource.ts';

/** A kind that a catalogue folder may hold. */
export interface AllowedKind {
  readonly kind: string;
  readonly type: ResourceType;
  readonly namespaced: boolean;
}

const ALLOWED_KINDS: readonly AllowedKind[] = [
  { kind: 'Environment', type: { group: OURS.group, version: OURS.version, resource: 'environments' }, namespaced: false },
  { kind: 'Operator', type: { group: OURS.operatorGroup, version: OURS.operatorVersion, resource: 'operators' }, namespaced: true },
];

/** The allowed kind that a document is of. */
export function findAllowedKind(apiVersion: string, kind: string): AllowedKind | undefined {
  return ALLOWED_KINDS.find((allowed) => allowed.kind === kind && apiVersionOf(allowed.type) === apiVersion);
}

/** `Environment (chandlery.dev/v1alpha1) and Operator (…)`, for sentences. */
export function allowedKindsSentence(): string {
  return ALLOWED_KINDS.map(({ kind, type }) => `${kind} (${apiVersionOf(type)})`).join(' and ');
}
