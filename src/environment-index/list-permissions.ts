import { LRUCache } from 'lru-cache';
import { type Actor, actorKey } from '../domain/kubernetes/actor.ts';
import type { Cluster, ResourceAttributes } from '../domain/kubernetes/cluster.ts';
import { isAllowedBy } from '../domain/permission/grants.ts';
import { type NamespaceRules, readNamespaceRules } from '../domain/permission/namespace-rules.ts';

/** The api-server as the person that is asked about. */
export interface Requester {
  readonly actor: Actor;
  readonly cluster: Pick<Cluster, 'create' | 'review'>;
}

/** A permission in a namespace. */
export type NamespacedAttributes = ResourceAttributes & { readonly namespace: string };

interface Known {
  readonly rules: Promise<NamespaceRules>;
  /** When the api-server was asked. */
  readonly at: number;
}

/**
 * How long an answer of the api-server is used: after `renewed` the next request asks again in the background, after `ended` it waits for the answer. A permission that is missing is
 * looked for again after `denied`, so that a new grant is seen at once.
 */
const AGE_MS = { denied: 1_000, renewed: 4_000, ended: 9_000 };
const MAX_KNOWN = 5_000;

/** What the api-server allows people in namespaces, by one SelfSubjectRulesReview each, at most nine seconds old. */
export interface ListPermissions {
  /** @throws what the review throws. */
  isAllowed(requester: Requester, permission: NamespacedAttributes): Promise<boolean>;
}

/** @param now milliseconds on a clock that only goes forward. */
export function createListPermissions(now: () => number): ListPermissions {
  const known = new LRUCache<string, Known>({ max: MAX_KNOWN });
  const single = new LRUCache<string, { readonly allowed: Promise<boolean>; readonly at: number }>({ max: MAX_KNOWN });
  const ask = ({ cluster }: Requester, namespace: string, key: string): Known => {
    const asked: Known = { rules: readNamespaceRules(cluster, namespace), at: now() };
    known.set(key, asked);
    asked.rules.catch(() => known.get(key) === asked && known.delete(key));
    return asked;
  };
  const renew = (requester: Requester, namespace: string, key: string): void => {
    const before = known.get(key);
    const asked = ask(requester, namespace, key);
    // The earlier answer holds until there is another one, or its time is over.
    if (before === undefined) return;
    known.set(key, before);
    asked.rules.then(
      () => known.set(key, asked),
      () => undefined,
    );
  };
  const rulesFor = (requester: Requester, namespace: string, maxAge: number): Known => {
    const key = JSON.stringify([actorKey(requester.actor), namespace]);
    const held = known.get(key);
    const age = held === undefined ? Infinity : now() - held.at;
    if (held === undefined || age > maxAge) return ask(requester, namespace, key);
    if (age > AGE_MS.renewed) renew(requester, namespace, key);
    return held;
  };
  const review = async ({ actor, cluster }: Requester, permission: NamespacedAttributes): Promise<boolean> => {
    const { verb, group, resource, namespace, name } = permission;
    const key = JSON.stringify([actorKey(actor), verb, group, resource, namespace, name]);
    const held = single.get(key);
    if (held !== undefined && now() - held.at <= AGE_MS.renewed) return await held.allowed;
    const asked = { allowed: cluster.review(permission).then(({ allowed }) => allowed), at: now() };
    single.set(key, asked);
    asked.allowed.catch(() => single.delete(key));
    return await asked.allowed;
  };
  return {
    isAllowed: async (requester, permission) => {
      const { namespace } = permission;
      const first = rulesFor(requester, namespace, AGE_MS.ended);
      if (isAllowedBy((await first.rules).resourceRules, permission)) return true;
      const newest = now() - first.at > AGE_MS.denied ? rulesFor(requester, namespace, AGE_MS.denied) : first;
      const rules = await newest.rules;
      return isAllowedBy(rules.resourceRules, permission) || (!rules.complete && (await review(requester, permission)));
    },
  };
}
