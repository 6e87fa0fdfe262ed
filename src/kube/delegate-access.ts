import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AppError } from '../domain/core/errors.ts';
import { booleanAt, textAt, textsAt } from '../domain/core/read.ts';
import type { Cluster } from '../domain/kubernetes/cluster.ts';
import { apiVersionOf } from '../domain/kubernetes/resource.ts';
import { TOKEN_REVIEW } from '../domain/kubernetes/resource-types.ts';
import type { ServiceAccountRef } from './transport/call.ts';
import { DELEGATE_AUDIENCE } from './transport/delegated-calls.ts';

/** No answer is older than this. */
const TTL_MS = 10_000;
const MAX_TOKENS = 100;
const TIMEOUT_MS = 5_000;
/** Reviews at a time: clients without authentication can send tokens, too. */
const CONCURRENCY = 8;

/**
 * Makes the function that tells whether a token is one of a service account, and meant for delegated calls, by a TokenReview.
 *
 * @returns a function that throws AppError `TooManyRequests` while others are reviewed, and as calls of the api-server do.
 */
export function createDelegateAccess(cluster: Pick<Cluster, 'create'>, account: ServiceAccountRef): (token: string) => Promise<boolean> {
  const user = `system:serviceaccount:${account.namespace}:${account.name}`;
  const known = new LRUCache<string, { readonly isOurs: boolean }>({ max: MAX_TOKENS, ttl: TTL_MS });
  let running = 0;
  return async (token) => {
    const key = createHash('sha256').update(token).digest('hex');
    const found = known.get(key);
    if (found !== undefined) return found.isOurs;
    if (running >= CONCURRENCY) throw new AppError('TooManyRequests', 'token: others are being reviewed: try again', { retryAfter: 1 });
    running += 1;
    try {
      const status = await review(cluster, token);
      const isOurs =
        booleanAt(status, 'authenticated') === true &&
        textAt(status, 'user', 'username') === user &&
        textsAt(status, 'audiences').includes(DELEGATE_AUDIENCE);
      known.set(key, { isOurs });
      return isOurs;
    } finally {
      running -= 1;
    }
  };
}

async function review(cluster: Pick<Cluster, 'create'>, token: string): Promise<unknown> {
  const spec = { token, audiences: [DELEGATE_AUDIENCE] };
  const object = { apiVersion: apiVersionOf(TOKEN_REVIEW), kind: TOKEN_REVIEW.kind, metadata: { name: '' }, spec };
  return (await cluster.create(TOKEN_REVIEW, object, { signal: AbortSignal.timeout(TIMEOUT_MS) })).object.status;
}
