import type { OperatorPorts } from '../ports.ts';
import { rememberFor } from './remember-for.ts';

/** A cluster is upgraded a few times a year. */
const FRESH_MS = 60_000;

/** Asks for the Kubernetes version at most once a minute, however many ask at once. A failure is not remembered. */
export function rememberVersion({
  kubernetesVersion,
  now,
}: Pick<OperatorPorts, 'kubernetesVersion' | 'now'>): OperatorPorts['kubernetesVersion'] {
  const remember = rememberFor<Awaited<ReturnType<OperatorPorts['kubernetesVersion']>>>(FRESH_MS);
  return async (options) => await remember(now().getTime(), async () => await kubernetesVersion(options));
}
