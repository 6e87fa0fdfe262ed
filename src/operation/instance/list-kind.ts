import { type AppError, isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import type { CallOptions } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';

/** What the api-server says when the objects of one kind are listed among those of many. */
export type KindList =
  | { readonly outcome: 'Listed'; readonly items: readonly KubeObject[] }
  | { readonly outcome: 'Forbidden'; readonly missing?: MissingPermission }
  | { readonly outcome: 'Unavailable'; readonly message: string };

/** A conversion webhook has half a minute to answer, and a page with many kinds does not wait for one. */
const PATIENCE_MS = 8_000;

/**
 * Lists the objects of one of many kinds: that one cannot be listed is an answer, so that the others are reported. A cluster that is away altogether throws, as
 * anything else does. The list of a kind that has just gone is empty.
 */
export async function listKind(list: (options: CallOptions) => Promise<readonly KubeObject[]>): Promise<KindList> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    return { outcome: 'Listed', items: await list({ signal }) };
  } catch (error) {
    if (signal.aborted) return { outcome: 'Unavailable', message: `the api-server has not listed it within ${PATIENCE_MS / 1000} seconds` };
    if (isAppError(error, 'Forbidden')) return { outcome: 'Forbidden', ...(error.missing === undefined ? {} : { missing: error.missing }) };
    if (isAppError(error, 'NotFound', 'MethodNotAllowed')) return { outcome: 'Listed', items: [] };
    if (!isAppError(error) || error.unanswered === undefined) throw error;
    return { outcome: 'Unavailable', message: sentenceOf(error) };
  }
}

function sentenceOf({ faults, message }: AppError): string {
  return faults[0]?.message ?? message;
}
