import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AppError } from '../domain/core/errors.ts';
import { at, booleanAt, objectAt, textAt, textsAt } from '../domain/core/read.ts';
import type { Cluster } from '../domain/kubernetes/cluster.ts';
import { apiVersionOf, type KubeObject } from '../domain/kubernetes/resource.ts';
import { type KnownType, SUBJECT_ACCESS_REVIEW, TOKEN_REVIEW } from '../domain/kubernetes/resource-types.ts';

type Access = 'Allowed' | 'Forbidden' | 'Unauthenticated';

/** No authorisation is older than this. */
const TTL_MS = 10_000;
const MAX_TOKENS = 100;
/** Reviews at a time: clients without authentication can send tokens, too. */
const CONCURRENCY = 4;
const TIMEOUT_MS = 5_000;

/**
 * Asks the api-server whether the account of a token may get the path `/metrics`, as its own `/metrics` and kube-rbac-proxy do: a TokenReview, then a
 * SubjectAccessReview.
 *
 * @returns a function that throws AppError `TooManyRequests` while others are reviewed, and as calls of the api-server do.
 */
export function createScrapeAccess(cluster: Pick<Cluster, 'create'>): (token: string) => Promise<Access> {
  const known = new LRUCache<string, Access>({ max: MAX_TOKENS, ttl: TTL_MS });
  let running = 0;
  return async (token) => {
    const key = createHash('sha256').update(token).digest('hex');
    const found = known.get(key);
    if (found !== undefined) return found;
    if (running >= CONCURRENCY)
      throw new AppError('TooManyRequests', 'metrics: other tokens are being reviewed: try again', { retryAfter: 1 });
    running += 1;
    try {
      const access = await review(cluster, token);
      known.set(key, access);
      return access;
    } finally {
      running -= 1;
    }
  };
}

async function review(cluster: Pick<Cluster, 'create'>, token: string): Promise<Access> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const ask = async (type: KnownType, spec: KubeObject['spec']): Promise<unknown> => {
    const { object } = await cluster.create(
      type,
      { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { name: '' }, spec },
      { signal },
    );
    return object.status;
  };
  const account = await ask(TOKEN_REVIEW, { token });
  if (booleanAt(account, 'authenticated') !== true) return 'Unauthenticated';
  const user = {
    user: textAt(account, 'user', 'username') ?? '',
    groups: textsAt(account, 'user', 'groups'),
    uid: textAt(account, 'user', 'uid') ?? '',
    extra: objectAt(account, 'user', 'extra'),
  };
  const access = await ask(SUBJECT_ACCESS_REVIEW, { ...user, nonResourceAttributes: { path: '/metrics', verb: 'get' } });
  return at(access, 'allowed') === true ? 'Allowed' : 'Forbidden';
}
