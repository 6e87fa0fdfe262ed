import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import { lossReason } from '../kube/own-crds.ts';
import type { Reflector } from '../kube/watch/reflector.ts';
import { installCrdsAndRoles, type InstallInput } from './install-crds-and-roles.ts';

export interface RestoreInput extends InstallInput {
  /** All CustomResourceDefinitions, live. */
  readonly definitions: Pick<Reflector, 'get' | 'onChange'>;
  /** Our own CRDs as they were brought to the cluster. */
  readonly installed: readonly KubeObject[];
}

/** How often our roles, and whatever else is not watched, are put right. */
const INTERVAL_MS = 5 * 60_000;

const SETTLE_MS = 500;

/** Brings what is ours back as soon as one of our CRDs is changed or deleted by somebody else, and every few minutes. Runs until the signal aborts. */
export async function restoreOwnCrds({ installed, ...input }: RestoreInput, signal: AbortSignal): Promise<void> {
  let known = installed;
  while (!signal.aborted) {
    const lost = await nextLoss(input, known, signal);
    if (signal.aborted) return;
    if (lost !== undefined) input.log.warn('A CRD of Chandlery was changed or deleted; restoring it', { ...lost });
    known = await installCrdsAndRoles(input, signal);
    // What is watched may be a moment behind, and would look lost once more.
    await sleep(SETTLE_MS, undefined, { signal }).catch(() => undefined);
    if (lost !== undefined) input.log.info('The CRDs of Chandlery are intact', { after: lost.crd });
  }
}

interface Loss {
  readonly crd: string;
  readonly why: string;
}

/** Resolves with the first of our CRDs that is not as it was brought, or with undefined when the interval is over. */
async function nextLoss(
  { definitions }: Pick<RestoreInput, 'definitions'>,
  known: readonly KubeObject[],
  signal: AbortSignal,
): Promise<Loss | undefined> {
  const byName = new Map(known.map((crd) => [crd.metadata.name, crd]));
  const found = Promise.withResolvers<Loss>();
  const look = (name: string): void => {
    const brought = byName.get(name);
    const why = brought === undefined ? undefined : lossOf(brought, definitions.get(name));
    if (why !== undefined) found.resolve({ crd: name, why });
  };
  const waiting = new AbortController();
  const unfollow = definitions.onChange(look);
  try {
    // A deletion that was seen while the last one was mended tells nothing any more.
    for (const name of byName.keys()) look(name);
    const over = sleep(INTERVAL_MS, undefined, { signal: AbortSignal.any([signal, waiting.signal]), ref: false }).catch(() => undefined);
    return await Promise.race([found.promise, over]);
  } finally {
    unfollow();
    waiting.abort();
  }
}

/** The generation counts changes of the spec; our own are in `brought`. What is watched may be a moment older than that. */
function lossOf(brought: KubeObject, live: KubeObject | undefined): string | undefined {
  const { uid, generation = 0 } = live?.metadata ?? {};
  const isOlder = uid === brought.metadata.uid && generation < (brought.metadata.generation ?? 0);
  if (isOlder) return undefined;
  if (live !== undefined && (uid !== brought.metadata.uid || generation !== brought.metadata.generation)) return 'somebody changed it';
  return lossReason(live);
}
