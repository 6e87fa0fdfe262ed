import type { ControllerParts } from '../../controller/controller.ts';
import { DELETED_SELECTOR } from '../../domain/app-instance/deleted-instance.ts';
import { DEPLOYER } from '../../domain/environment/deployer.ts';
import { SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { Kube } from '../../kube/kube.ts';
import { startMetadataReflector } from '../../kube/watch/reflector.ts';
import type { Log } from '../../observe/log.ts';
import { createDeletedPruner } from '../../reconcile/instance/prune-deleted.ts';

interface DeletedInstancesInput {
  readonly kube: Kube;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** The controller of the records of deleted instances, which it deletes when they expire. */
export function deletedInstances({ kube, log, signal }: DeletedInstancesInput): ControllerParts {
  const cluster = kube.asController();
  const records = startMetadataReflector({ cluster, type: SECRET, labelSelector: DELETED_SELECTOR, log, signal });
  const asDeployer = (namespace: string) => kube.asServiceAccount({ namespace, name: DEPLOYER });
  const reconcile = createDeletedPruner({ cluster, asDeployer, now: () => new Date() });
  return { name: 'deleted-instance', sources: [records], reconcile, workers: 1 };
}
