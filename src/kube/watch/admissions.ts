import { LRUCache } from 'lru-cache';
import { AppError } from '../../domain/core/errors.ts';
import { type Actor, actorKey } from '../../domain/kubernetes/actor.ts';
import type { Cluster, ResourceAttributes } from '../../domain/kubernetes/cluster.ts';

/** How long a permission that the api-server has granted is used: after `renewed` the next request asks again in the background, after `ended` it waits for the answer. */
const ADMITTED_MS = { renewed: 4_000, ended: 9_000 };
const MAX_ADMISSIONS = 20_000;

/** Whoever the api-server is asked as. */
interface Requester {
  readonly actor: Actor;
  readonly cluster: Pick<Cluster, 'review'>;
}

interface Admission {
  readonly answer: Promise<boolean>;
  /** When it was asked for. */
  readonly at: number;
  isRenewed: boolean;
}

/** What the api-server has allowed to whom, for a few seconds. */
export class Admissions {
  readonly #answers = new LRUCache<string, Admission>({ max: MAX_ADMISSIONS, ttl: ADMITTED_MS.ended });

  /**
   * Whoever may do it to all resources of the namespace (`*`) is not asked about for each of them.
   *
   * @throws AppError `Forbidden` with the missing permission, or whatever the review throws.
   */
  async require(requester: Requester, permission: ResourceAttributes): Promise<void> {
    const { verb, group, resource, namespace } = permission;
    const all = { verb, group: '*', resource: '*', ...(namespace === undefined ? {} : { namespace }) };
    if ((await this.#isAllowed(requester, all)) || (await this.#isAllowed(requester, permission))) return;
    const type = group === '' ? resource : `${resource}.${group}`;
    throw new AppError('Forbidden', `${verb} ${type} in namespace "${namespace ?? ''}": the api-server does not allow it`, {
      missing: permission,
    });
  }

  async #isAllowed({ actor, cluster }: Requester, permission: ResourceAttributes): Promise<boolean> {
    const key = keyOfAdmission(actor, permission);
    const review = async (): Promise<boolean> => (await cluster.review(permission)).allowed;
    const known = this.#answers.get(key) ?? this.#ask(key, review);
    if (!known.isRenewed && performance.now() - known.at > ADMITTED_MS.renewed) {
      known.isRenewed = true;
      this.#renew(key, review);
    }
    return await known.answer;
  }

  #ask(key: string, review: () => Promise<boolean>): Admission {
    const asked = { answer: review(), at: performance.now(), isRenewed: false };
    this.#answers.set(key, asked);
    asked.answer.catch(() => this.#answers.delete(key));
    return asked;
  }

  /** The earlier answer holds until there is another one, or its time is over. */
  #renew(key: string, review: () => Promise<boolean>): void {
    const at = performance.now();
    review().then(
      (allowed) =>
        this.#answers.set(
          key,
          { answer: Promise.resolve(allowed), at, isRenewed: false },
          { ttl: Math.max(1, ADMITTED_MS.ended - (performance.now() - at)) },
        ),
      () => undefined,
    );
  }
}

function keyOfAdmission(actor: Actor, permission: ResourceAttributes): string {
  const { verb, group, resource, namespace, name } = permission;
  return JSON.stringify([actorKey(actor), verb, group, resource, namespace, name]);
}
