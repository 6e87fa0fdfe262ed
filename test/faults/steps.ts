import type { Cluster } from '../../src/domain/kubernetes/cluster.ts';
import { OURS } from '../../src/domain/kubernetes/names.ts';
import type { Helm } from '../../src/helm/helm.ts';
import type { OperatorPorts } from '../../src/reconcile/operator/ports.ts';

/**
 * Steps of an act that a worker announces: the lease is taken, the first CRD is applied, the release is about to be changed or rolled back, helm
 * does so, helm has ended and the status does not say so yet, our finalizer is about to go.
 */
export type Step = 'lease' | 'definition' | 'release' | 'helm' | 'rollback' | 'rolling' | 'status' | 'finalizer';

const CHANGE = ['release', 'helm'] as const;

type Announce = (step: Step) => Promise<void>;
type Changes = Pick<Helm, 'install' | 'upgrade' | 'rollback' | 'uninstall'>;

/** Ports that announce each step, and go on when the announcement returns. */
export function announcing(ports: OperatorPorts, announce: Announce): OperatorPorts {
  return { ...ports, cluster: announcingCluster(ports.cluster, announce), helm: announcingHelm(ports.helm, announce) };
}

export function announcingCluster<C extends Pick<Cluster, 'create' | 'apply' | 'patch'>>(cluster: C, announce: Announce): C {
  return {
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
      const isOwner = ref.resource === 'operators' || ref.group === OURS.appsGroup;
      if (isOwner && isLetGo(patch.body)) await announce('finalizer');
      return cluster.patch(ref, patch, options);
    },
  };
}

export function announcingHelm<H extends Changes>(helm: H, announce: Announce): H {
  const around = async <T>([before, during]: readonly [Step, Step], run: () => Promise<T>): Promise<T> => {
    await announce(before);
    const running = run();
    // Who awaits the announcement must not make a failure of helm an unhandled one.
    running.catch(() => undefined);
    await announce(during);
    const result = await running;
    await announce('status');
    return result;
  };
  return {
    ...helm,
    install: (request, signal) => around(CHANGE, () => helm.install(request, signal)),
    upgrade: (request, signal) => around(CHANGE, () => helm.upgrade(request, signal)),
    rollback: (input, signal) => around(['rollback', 'rolling'], () => helm.rollback(input, signal)),
    uninstall: (ref, signal) => around(CHANGE, () => helm.uninstall(ref, signal)),
  };
}

function isLetGo(body: unknown): boolean {
  const { metadata } = body as { readonly metadata?: { readonly finalizers?: readonly string[] } };
  return metadata?.finalizers?.length === 0;
}
