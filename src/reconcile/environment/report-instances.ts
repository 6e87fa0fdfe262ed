import type { Reconcile } from '../../controller/controller.ts';
import { ENVIRONMENT_KIND } from '../../domain/environment/environment-kind.ts';
import { statusOf } from '../../domain/kind/kind.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { apiVersionOf, type KubeObject } from '../../domain/kubernetes/resource.ts';
import { ENVIRONMENT } from '../../domain/kubernetes/resource-types.ts';
import type { InstanceCount } from './ports.ts';

interface InstanceCountPorts {
  /** As the controller's own account. */
  readonly cluster: Pick<Cluster, 'applyStatus'>;
  /** An Environment as it is watched. */
  readonly environment: (name: string) => KubeObject | undefined;
  /** How many instances there are in a namespace. */
  readonly instancesIn: (namespace: string) => InstanceCount;
}

/** Of this field of the status alone, so that nothing else has to be read or written when an instance comes or goes. */
const FIELD_MANAGER = `${OURS.fieldManager}-instances`;

/** Makes the function that keeps the number of instances in the status of an Environment, by which an admission policy rejects its deletion. */
export function createInstanceCountReconciler({ cluster, environment, instancesIn }: InstanceCountPorts): Reconcile {
  return async (name, signal) => {
    const object = environment(name);
    const { namespace, instances: known } = object === undefined ? {} : statusOf(ENVIRONMENT_KIND, object);
    if (object === undefined || namespace === undefined) return {};
    const instances = instancesNow(known, instancesIn(namespace));
    if (instances === known) return {};
    const { uid } = object.metadata;
    const metadata = { name, ...(uid === undefined ? {} : { uid }) };
    const applied = { apiVersion: apiVersionOf(ENVIRONMENT), kind: ENVIRONMENT.kind, metadata, status: { instances } };
    await cluster.applyStatus(ENVIRONMENT, applied, { fieldManager: FIELD_MANAGER, force: 'force', signal });
    return {};
  };
}

/** The number for the status. One that is known does not fall before all kinds have been listed. */
export function instancesNow(known: number | undefined, { atLeast, isListed }: InstanceCount): number {
  return isListed ? atLeast : Math.max(atLeast, known ?? 0);
}
