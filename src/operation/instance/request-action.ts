import { TEST_AT } from '../../domain/app-instance/instance.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { AppError } from '../../domain/core/errors.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type Preconditions, writeChecked } from '../../domain/kubernetes/etag.ts';
import { audited, instanceEvent } from '../audit/audited.ts';
import type { Ports } from '../ports.ts';
import { findInstance, type FoundInstance, type InstanceAddress, instanceView } from './find-instance.ts';
import { missingPermission, USER_WRITE } from './instance-draft.ts';
import { updateInstance } from './write-instance.ts';

export interface TestInput extends InstanceAddress {
  /** RFC 3339, with fractions of a second: any new value asks anew. */
  readonly at: string;
  readonly preconditions?: Preconditions;
}

/**
 * Asks for the tests of the chart of an instance, as the actor. The controller runs them once the release is healthy, and writes their outcome into the status.
 *
 * @throws AppError as `findInstance`, `Forbidden` without the permission to patch it, `InvalidInput` for an instance that is no release.
 */
export async function requestInstanceTest(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'auditLog'>,
  actor: Actor,
  input: TestInput & RequestOrigin,
): Promise<InstanceView> {
  return await audited(ports, actor, instanceEvent('test instance', input, input), async () => await request(ports, actor, input));
}

async function request(ports: Pick<Ports, 'clusters' | 'catalog'>, actor: Actor, input: TestInput): Promise<InstanceView> {
  const { entry, environment, ref, object } = await findRelease(ports, actor, { ...input, verb: 'patch', without: 'tests' });
  const what = `${entry.summary.displayName} ${JSON.stringify(input.name)}`;
  return await writeChecked({ ...input, what, object }, async (only) => {
    const body = { metadata: { annotations: { [TEST_AT]: input.at }, ...only } };
    const patched = await ports.clusters.asActor(actor).patch(ref, { type: 'merge', body }, USER_WRITE);
    return instanceView(entry, environment, patched.object);
  });
}

export interface SleepInput extends InstanceAddress {
  readonly sleep: 'Asleep' | 'Awake';
  readonly preconditions?: Preconditions;
}

/**
 * Puts an instance to sleep or wakes it, as the actor, by `spec.sleep`. The controller scales its workloads.
 *
 * @throws AppError as `updateInstance`, `InvalidInput` for an instance that is no release.
 */
export async function setInstanceSleep(
  ports: Parameters<typeof updateInstance>[0],
  actor: Actor,
  { sleep, ...input }: SleepInput & RequestOrigin,
): Promise<InstanceView> {
  await findRelease(ports, actor, { ...input, verb: 'update', without: 'workloads that Chandlery can scale' });
  return await updateInstance(ports, actor, { ...input, spec: { sleep: sleep === 'Asleep' }, mode: 'Merge' });
}

interface WantedRelease extends InstanceAddress {
  /** The permission that is needed. */
  readonly verb: 'patch' | 'update';
  /** What an instance that is no release lacks. */
  readonly without: string;
}

/** An instance that is a Helm release. */
async function findRelease(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  { verb, without, ...address }: WantedRelease,
): Promise<FoundInstance> {
  const found = await findInstance(ports, actor, address);
  const { entry, ref } = found;
  if (entry.summary.definition !== undefined) return found;
  const what = `${entry.summary.displayName} ${JSON.stringify(address.name)}`;
  const permission = { verb, group: ref.group, resource: ref.resource, namespace: ref.namespace };
  const missing = await missingPermission(ports, actor, permission);
  if (missing !== undefined) throw new AppError('Forbidden', `${what}: you may not change it`, { missing });
  throw new AppError('InvalidInput', `${what}: it is no Helm release, so it has no ${without}`);
}
