import { dirname } from 'node:path';
import { createKube, type Kube, type KubeOptions } from '../../src/kube/kube.ts';
import { addSignals, noteCall } from './signals.ts';

/** A connection of a test to the api-server of its cluster, whose reads `eventually` takes note of. */
export function openKube(
  kubeconfigPath: string,
  options: Omit<KubeOptions, 'kubeconfigPath' | 'userAgent'> & { userAgent?: string } = {},
): Kube {
  const stateDir = dirname(kubeconfigPath);
  addSignals(stateDir);
  return createKube({
    userAgent: 'chandlery-test',
    ...options,
    kubeconfigPath,
    observe: (answer, seconds) => {
      noteCall(stateDir, answer);
      options.observe?.(answer, seconds);
    },
  });
}
