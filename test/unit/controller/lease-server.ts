import type { LeaseOptions } from '../../../src/controller/lease.ts';
import { AppError } from '../../../src/domain/core/errors.ts';
import type { KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

/** An api-server that holds one lease and minds its versions. */
function leaseServer() {
  let stored: KubeObject | undefined;
  let version = 0;
  const store = (object: KubeObject): { object: KubeObject; warnings: string[] } => {
    version += 1;
    stored = {
      ...object,
      metadata: { ...object.metadata, uid: stored?.metadata.uid ?? `uid-${version}`, resourceVersion: String(version) },
    };
    return { object: stored, warnings: [] };
  };
  const cluster: LeaseOptions['cluster'] = {
    get: async () => {
      if (stored === undefined) throw new AppError('NotFound', 'there is none');
      return stored;
    },
    create: async (_type, object) => {
      if (stored !== undefined) throw new AppError('AlreadyExists', 'it already exists');
      return store(object);
    },
    replace: async (_type, object) => {
      if (object.metadata.resourceVersion !== stored?.metadata.resourceVersion) throw new AppError('Conflict', 'it was changed');
      return store(object);
    },
    delete: async (_ref, { uid, resourceVersion } = {}) => {
      const { metadata } = stored ?? {};
      if (uid !== undefined && uid !== metadata?.uid) throw new AppError('Conflict', 'it is another one');
      if (resourceVersion !== undefined && resourceVersion !== metadata?.resourceVersion) throw new AppError('Conflict', 'it was changed');
      stored = undefined;
    },
  };
  return { cluster, stored: () => stored };
}

/** A lease, a clock, and what whoever wants the lease asks for it with. */
export function holders() {
  const server = leaseServer();
  const clock = createFakeClock();
  const now = (): Date => new Date(Date.UTC(2026, 0, 1) + clock.now());
  const options = (holder: string): LeaseOptions => ({ cluster: server.cluster, namespace: 'ns', name: 'release', holder, now, clock });
  return { server, clock, options };
}
