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

/** An answer of the api-server, or one on its way. */
interface Asked<T> {
  readonly answer: Promise<T>;
  /** When it was asked. */
  readonly at: number;
  /** Whether it is asked again already. */
  isRenewed: boolean;
}

/**
 * How long an answer of the api-server is used: after `renewed` the next request asks again in the background, after `ended` it waits for the answer. A permission that is missing is
 * looked for again after `denied`, so that a new grant is seen at once.
 */
const AGE_MS = { denied: 1_000, renewed: 4_000, ended: 9_000 };
const MAX_KNOWN = 5_000;

/** What the api-server allows people in namespaces, by one SelfSubjectRulesReview each, at most nine seconds old. */
export class ListPermissions {
  readonly #rules = new LRUCache<string, Asked<NamespaceRules>>({ max: MAX_KNOWN });
  /** Where the rules are incomplete. */
  readonly #reviews = new LRUCache<string, Asked<boolean>>({ max: MAX_KNOWN });
  readonly #now: () => number;

  /** @param now milliseconds on a clock that only goes forward. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws what the review throws. */
  async isAllowed(requester: Requester, permission: NamespacedAttributes): Promise<boolean> {
    const first = this.#rulesFor(requester, permission.namespace, AGE_MS.ended);
    if (isAllowedBy((await first.answer).resourceRules, permission)) return true;
    const isRecent = this.#now() - first.at <= AGE_MS.denied;
    const newest = isRecent ? first : this.#rulesFor(requester, permission.namespace, AGE_MS.denied);
    const { resourceRules, complete } = await newest.answer;
    return isAllowedBy(resourceRules, permission) || (!complete && (await this.#review(requester, permission)));
  }

  #rulesFor(requester: Requester, namespace: string, maxAge: number): Asked<NamespaceRules> {
    const key = JSON.stringify([actorKey(requester.actor), namespace]);
    const known = this.#rules.get(key);
    const age = known === undefined ? Infinity : this.#now() - known.at;
    if (known === undefined || age > maxAge) return this.#ask(requester, namespace, key);
    if (age > AGE_MS.renewed && !known.isRenewed) {
      known.isRenewed = true;
      this.#renew(requester, namespace, key);
    }
    return known;
  }

  #ask({ cluster }: Requester, namespace: string, key: string): Asked<NamespaceRules> {
    const asked = { answer: readNamespaceRules(cluster, namespace), at: this.#now(), isRenewed: false };
    this.#rules.set(key, asked);
    asked.answer.catch(() => this.#rules.delete(key));
    return asked;
  }

  /** The earlier answer holds until there is another one, or its time is over. */
  #renew({ cluster }: Requester, namespace: string, key: string): void {
    const asked = { answer: readNamespaceRules(cluster, namespace), at: this.#now(), isRenewed: false };
    asked.answer.then(
      () => this.#rules.set(key, asked),
      () => undefined,
    );
  }

  async #review({ actor, cluster }: Requester, permission: NamespacedAttributes): Promise<boolean> {
    const { verb, group, resource, namespace, name } = permission;
    const key = JSON.stringify([actorKey(actor), verb, group, resource, namespace, name]);
    const known = this.#reviews.get(key);
    if (known !== undefined && this.#now() - known.at <= AGE_MS.renewed) return await known.answer;
    const answer = cluster.review(permission).then(({ allowed }) => allowed);
    this.#reviews.set(key, { answer, at: this.#now(), isRenewed: false });
    answer.catch(() => this.#reviews.delete(key));
    return await answer;
  }
}
