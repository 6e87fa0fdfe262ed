import { CRD, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { isAppError, messageOf } from '../../src/domain/core/errors.ts';
import { parseOperatorStatus } from '../../src/domain/operator/operator-status.ts';
import type { KubeObject, ResourceRef } from '../../src/domain/kubernetes/resource.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { faultsOfDeleted, faultsOfInstalled, keep, type Gone, type Keepsake } from './invariants.ts';
import {
  askFor,
  CONFIG_MAPS,
  createInstance,
  createOperator,
  definitionsOf,
  DEPLOYMENTS,
  instanceRef,
  operatorRef,
  readOperator,
  VERSIONS,
  type Subject,
  type Version,
} from './subject.ts';
import { elapse } from '../support/elapse.ts';

export type ActName = 'install' | 'upgrade' | 'rollback' | 'delete';

/** Something that is asked of an Operator, and how to know that it is done. */
export interface Act {
  readonly name: ActName;
  readonly subject: Subject;
  begin(): Promise<void>;
  /** What is not as it should be when the act is done; asked until there is nothing, or time is up. */
  faults(): Promise<string[]>;
  /** After all is well. */
  end(): Promise<void>;
  /** All that is known of the subject; default: of an Operator. */
  evidence?(): Promise<string>;
}

/** How an Operator is deleted: without instances, or with one that somebody must delete first, goes with it, or stays. */
export type Ending = 'empty' | 'in use' | 'cascade' | 'orphan';
export const ENDINGS: readonly Ending[] = ['empty', 'in use', 'cascade', 'orphan'];
const POLICIES: Readonly<Record<Ending, Gone>> = { empty: 'Block', 'in use': 'Block', cascade: 'Cascade', orphan: 'Orphan' };

/** Seldom, so that looking costs little beside what is looked at. */
const POLL_MS = 400;

/** The acts of a life, in their order, of an Operator with more in its spec; an instance is made after the installation, and must be the same ever after. */
export function lifeOf(kube: Kube, subject: Subject, ending: Ending, spec: object = {}): readonly Act[] {
  const memory: Memory = { keepsake: { definitions: {} } };
  const nothing = (): Promise<void> => Promise.resolve();
  const at = (version: Version): Promise<string[]> => faultsWhenReady(kube, subject, version, memory.keepsake);
  return [
    {
      name: 'install',
      subject,
      begin: () => createOperator(kube, subject, { deletionPolicy: POLICIES[ending], ...spec }),
      faults: () => at(VERSIONS.first),
      end: async () => {
        const instance = await createInstance(kube, subject, `${subject.name} ${ending}`);
        memory.keepsake = await keep(kube, subject, instance);
      },
    },
    { name: 'upgrade', subject, begin: () => askFor(kube, subject, VERSIONS.second), faults: () => at(VERSIONS.second), end: nothing },
    {
      name: 'rollback',
      subject,
      begin: () => askFor(kube, subject, VERSIONS.broken, { upgrade: { remediation: 'Rollback' } }),
      faults: () => faultsWhenRolledBack(kube, subject, memory.keepsake),
      end: nothing,
    },
    deletion(kube, subject, { ending, memory }),
  ];
}

interface Memory {
  keepsake: Keepsake;
}

function deletion(kube: Kube, subject: Subject, { ending, memory }: { ending: Ending; memory: Memory }): Act {
  const policy = POLICIES[ending];
  const removeInstance = async (): Promise<void> => {
    await remove(kube, instanceRef(subject));
    memory.keepsake = { definitions: memory.keepsake.definitions };
  };
  return {
    name: 'delete',
    subject,
    begin: async () => {
      if (ending === 'empty') await removeInstance();
      await remove(kube, operatorRef(subject));
    },
    faults: async () => {
      const operator = await readOperator(kube, subject);
      if (operator === undefined) return faultsOfDeleted(kube, subject, { policy, keepsake: memory.keepsake });
      if (ending === 'in use' && memory.keepsake.instance !== undefined && isBlocked(operator)) {
        const faults = await faultsOfInstalledButDying(kube, subject, memory.keepsake);
        if (faults.length > 0) return faults;
        await removeInstance();
      }
      return ['the Operator is still there'];
    },
    end: () => sweep(kube, subject),
  };
}

function isBlocked(operator: KubeObject): boolean {
  return findCondition(parseOperatorStatus(operator).conditions, 'Deletable')?.reason === 'InstancesExist';
}

/** While instances block the deletion, all that was installed stays. */
async function faultsOfInstalledButDying(kube: Kube, subject: Subject, keepsake: Keepsake): Promise<string[]> {
  const faults = await faultsOfInstalled(kube, subject, { version: VERSIONS.second, keepsake, outcome: 'Ready' });
  return faults.filter((fault) => /definition|instance|ConfigMap|Deployment|revision/.test(fault));
}

async function faultsWhenReady(kube: Kube, subject: Subject, version: Version, keepsake: Keepsake): Promise<string[]> {
  const operator = await readOperator(kube, subject);
  if (operator === undefined) return ['the Operator is gone'];
  const status = parseOperatorStatus(operator);
  const ready = findCondition(status.conditions, 'Ready');
  if (ready?.status !== 'True' || status.observedGeneration !== operator.metadata.generation || status.chart?.version !== version) {
    return [`not ready at ${version}: ${ready?.reason ?? 'no condition'}: ${ready?.message ?? ''}`];
  }
  return faultsOfInstalled(kube, subject, { version, keepsake, outcome: 'Ready' });
}

/** The broken version was tried, and the second one runs again. */
async function faultsWhenRolledBack(kube: Kube, subject: Subject, keepsake: Keepsake): Promise<string[]> {
  const operator = await readOperator(kube, subject);
  if (operator === undefined) return ['the Operator is gone'];
  const status = parseOperatorStatus(operator);
  const ready = findCondition(status.conditions, 'Ready');
  if (ready?.reason !== 'RolledBack' || status.observedGeneration !== operator.metadata.generation) {
    return [`not rolled back: ${ready?.reason ?? 'no condition'}: ${ready?.message ?? ''}`];
  }
  return faultsOfInstalled(kube, subject, { version: VERSIONS.second, keepsake, outcome: 'RolledBack' });
}

/** Removes what a deletion leaves by design, so that the cluster stays small. */
async function sweep(kube: Kube, subject: Subject): Promise<void> {
  const { namespace, name } = subject;
  await remove(kube, instanceRef(subject));
  for (const definition of definitionsOf(subject)) await remove(kube, { ...CRD, name: definition });
  for (const type of [CONFIG_MAPS, DEPLOYMENTS]) await remove(kube, { ...type, namespace, name });
  const { items } = await kube.asController().listMetadata(SECRET, { namespace, labelSelector: `owner=helm,name=${name}` });
  for (const { metadata } of items) await remove(kube, { ...SECRET, namespace, name: metadata.name });
}

async function remove(kube: Kube, ref: ResourceRef): Promise<void> {
  try {
    await kube.asController().delete(ref);
  } catch (error) {
    if (!isAppError(error, 'NotFound')) throw error;
  }
}

/** Waits until an act is done and nothing is wrong. @returns what is still wrong when the time is up, and how long it took in seconds. */
export async function untilDone(act: Act, seconds: number): Promise<{ readonly faults: readonly string[]; readonly seconds: number }> {
  const began = performance.now();
  const elapsed = (): number => (performance.now() - began) / 1_000;
  for (;;) {
    const faults = await act.faults().catch((error: unknown) => [`the state cannot be read: ${messageOf(error)}`]);
    if (faults.length === 0 || elapsed() > seconds) return { faults, seconds: elapsed() };
    await elapse(POLL_MS);
  }
}
