import type { OperatorPorts } from '../ports.ts';

/** A cluster is upgraded a few times a year. */
const FRESH_MS = 60_000;

/** Asks for the Kubernetes version at most once a minute, however many ask at once. A failure is not remembered. */
export function rememberVersion({
  kubernetesVersion,
  now,
}: Pick<OperatorPorts, 'kubernetesVersion' | 'now'>): OperatorPorts['kubernetesVersion'] {
  let known: { readonly version: Promise<string>; readonly at: number } | undefined;
  return async (options) => {
    const at = now().getTime();
    if (known !== undefined && Math.abs(at - known.at) < FRESH_MS) return known.version;
    const asked = { version: kubernetesVersion(options), at };
    known = asked;
    try {
      return await asked.version;
    } catch (error) {
      if (known === asked) known = undefined;
      throw error;
    }
  };
}
