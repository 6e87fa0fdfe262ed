/**
 * Asks at most once in so many milliseconds, however many ask at once. A failure reaches whoever waits for it, and not remembered.
 *
 * @returns takes the time now, in milliseconds since 1970, and the question.
 */
export function memoizeFor<T>(forMs: number): (now: number, ask: () => Promise<T>) => Promise<T> {
  let known: { readonly answer: Promise<T>; readonly at: number } | undefined;
  return async (now, ask) => {
    if (known !== undefined && Math.abs(now - known.at) < forMs) return known.answer;
    const asked = { answer: ask(), at: now };
    known = asked;
    try {
      return await asked.answer;
    } catch (error) {
      if (known === asked) known = undefined;
      throw error;
    }
  };
}

interface VersionPorts {
  readonly kubernetesVersion: (options: { readonly signal: AbortSignal }) => Promise<string>;
  readonly now: () => Date;
}

/** An upgrade of the cluster is noticed a minute later. */
const FRESH_MS = 60_000;

/** Asks for the Kubernetes version at most once a minute. */
export function memoizeVersion({ kubernetesVersion, now }: VersionPorts): VersionPorts['kubernetesVersion'] {
  const remember = memoizeFor<string>(FRESH_MS);
  return async (options) => await remember(now().getTime(), async () => await kubernetesVersion(options));
}
