import { ENVIRONMENT, type KnownType, OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import { apiVersionOf } from '../../domain/kubernetes/resource.ts';

/** The kinds that a catalogue folder may hold. */
const ALLOWED_KINDS: readonly KnownType[] = [ENVIRONMENT, OPERATOR];

/** The allowed kind that a document is of. */
export function findAllowedKind(apiVersion: string, kind: string): KnownType | undefined {
  return ALLOWED_KINDS.find((allowed) => allowed.kind === kind && apiVersionOf(allowed) === apiVersion);
}

/** `Environment (chandlery.dev/v1alpha1) and Operator (…)`, for sentences. */
export function allowedKindsSentence(): string {
  return ALLOWED_KINDS.map((type) => `${type.kind} (${apiVersionOf(type)})`).join(' and ');
}
