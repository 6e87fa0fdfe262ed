import type { OperatorPorts } from '../../src/reconcile/operator/ports.ts';

/**
 * Steps of an act that a worker announces: the lease is taken, the first definition is applied, the release is about to be changed, helm runs, helm has
 * ended and the status does not say so yet, our finalizer is about to go.
 */
export const STEPS = ['lease', 'definition', 'release', 'helm', 'status', 'finalizer'] as const;
export type Step = (typeof STEPS)[number];

/** Ports that announce each step, and go on when the announcement returns. */
export function announcing(ports: OperatorPorts, announce: (step: Step) => Promise<void>): OperatorPorts {
  const { cluster, helm } = ports;
  const around = async <T>(run: () => Promise<T>): Promise<T> => {
    await announce('release');
    const running = run();
    // Who awaits the announcement must not make a failure of helm an unhandled one.
    running.catch(() => undefined);
    await announce('helm');
    const result = await running;
    await announce('status');
    return result;
  };
  return {
    ...ports,
    cluster: {
      ...cluster,
      create: async (type, object, options) => {
        const written = await cluster.create(type, object, options);
        if (type.resource === 'leases') await announce('lease');
        return written;
      },
      apply: async (type, object, options) => {
        const written = await cluster.apply(type, object, options);
        if (type.resource === 'customresourcedefinitions' && options.dryRun === undefined) await announce('definition');
        return written;
      },
      patch: async (ref, patch, options) => {
        if (ref.resource === 'operators' && isLetGo(patch.body)) await announce('finalizer');
        return cluster.patch(ref, patch, options);
      },
    },
    helm: {
      ...helm,
      install: (request, signal) => around(() => helm.install(request, signal)),
      upgrade: (request, signal) => around(() => helm.upgrade(request, signal)),
      uninstall: (ref, signal) => around(() => helm.uninstall(ref, signal)),
    },
  };
}

function isLetGo(body: unknown): boolean {
  const { metadata } = body as { readonly metadata?: { readonly finalizers?: readonly string[] } };
  return metadata?.finalizers?.length === 0;
}
