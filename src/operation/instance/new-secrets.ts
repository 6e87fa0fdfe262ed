import { randomInt } from 'node:crypto';
import { permissionTo, SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { AppError, isAppError, messageOf, type MissingPermission } from '../../domain/core/errors.ts';
import { generatePassword } from '../../domain/core/generate-password.ts';
import { faultsOfNewSecrets, newSecretObject, type NewSecret } from '../../domain/instance/new-secret.ts';
import type { KubeObject, ResourceRef } from '../../domain/kubernetes/resource.ts';
import { USER_WRITE } from './instance-draft.ts';

/** Where Secrets are made, and for which Instance. */
export interface SecretPlace {
  readonly namespace: string;
  readonly instance: string;
}

/** A Secret that was made, exactly that one. */
export interface CreatedSecret extends ResourceRef {
  readonly uid: string;
}

/** @throws AppError `InvalidInput` with a fault for each Secret that cannot be made. */
function rejectFaultySecrets(secrets: readonly NewSecret[]): void {
  const faults = faultsOfNewSecrets(secrets);
  if (faults.length > 0) throw new AppError('InvalidInput', `new Secret: ${faults[0]?.message ?? ''}`, { faults });
}

/** The permission that making them, or giving them their owner, lacks. */
export async function missingSecretPermission(
  cluster: Pick<Cluster, 'review'>,
  secrets: readonly NewSecret[],
  namespace: string,
): Promise<MissingPermission | undefined> {
  if (secrets.length === 0) return undefined;
  const permissions = ['create', 'patch', 'delete'].map((verb) => ({ ...permissionTo(verb, SECRET), namespace }));
  const verdicts = await Promise.all(
    permissions.map(async (permission) => ((await cluster.review(permission)).allowed ? undefined : permission)),
  );
  return verdicts.find((permission) => permission !== undefined);
}

/** Asks the api-server whether it would take them. What it is asked with is no real value. */
export async function dryRunNewSecrets(cluster: Pick<Cluster, 'create'>, secrets: readonly NewSecret[], place: SecretPlace): Promise<void> {
  rejectFaultySecrets(secrets);
  for (const secret of secrets) await createSecret(cluster, secret, { ...place, value: 'placeholder', dryRun: 'All' });
}

/**
 * Makes them as the actor, or none: a name that is taken is rejected, so that nobody's Secret is changed.
 *
 * @throws AppError as `Cluster.create`, after what was made before is gone again.
 */
export async function createSecrets(
  cluster: Pick<Cluster, 'create' | 'delete'>,
  secrets: readonly NewSecret[],
  place: SecretPlace,
): Promise<readonly CreatedSecret[]> {
  rejectFaultySecrets(secrets);
  const made: CreatedSecret[] = [];
  for (const secret of secrets) {
    try {
      const { metadata } = await createSecret(cluster, secret, { ...place, value: secret.value?.reveal() ?? madeUp() });
      made.push({ ...SECRET, namespace: place.namespace, name: secret.name, uid: metadata.uid ?? '' });
    } catch (error) {
      throw await undone(cluster, made, error);
    }
  }
  return made;
}

/** The Instance owns its Secrets, so that they go when it goes. Without an owner they stay, and their label says whose they were. */
export async function ownSecrets(cluster: Pick<Cluster, 'patch'>, made: readonly CreatedSecret[], owner: KubeObject): Promise<void> {
  const { apiVersion, kind, metadata } = owner;
  const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' }];
  for (const { uid, ...ref } of made) {
    const patch = { type: 'merge', body: { metadata: { uid, ownerReferences } } } as const;
    await cluster.patch(ref, patch, { fieldManager: USER_WRITE.fieldManager });
  }
}

/** Takes back what was made before a rejection, and gives the error to throw: it tells what could not be taken back. */
export async function undone(cluster: Pick<Cluster, 'delete'>, made: readonly CreatedSecret[], error: unknown): Promise<unknown> {
  // Nobody knows whether an answer that did not come was a yes; the Instance may be there, and need its Secret.
  const isKnown = isAppError(error) && error.code !== 'ClusterUnavailable';
  const left: string[] = [];
  for (const { uid, ...ref } of made) {
    const isGone = isKnown && (await deleted(cluster, ref, uid));
    if (!isGone) left.push(ref.name);
  }
  if (left.length === 0) return error;
  const rest = `the Secret ${left.join(', ')} was created for it and still exists`;
  const { code, faults, missing } = isAppError(error) ? error : new AppError('Internal', messageOf(error));
  return new AppError(code, `${messageOf(error)}; ${rest}`, { faults, ...(missing === undefined ? {} : { missing }), cause: error });
}

async function deleted(cluster: Pick<Cluster, 'delete'>, ref: ResourceRef, uid: string): Promise<boolean> {
  try {
    await cluster.delete(ref, { uid });
    return true;
  } catch (error) {
    return isAppError(error, 'NotFound');
  }
}

interface Making extends SecretPlace {
  readonly value: string;
  readonly dryRun?: 'All';
}

async function createSecret(cluster: Pick<Cluster, 'create'>, secret: NewSecret, { dryRun, ...at }: Making): Promise<KubeObject> {
  try {
    const options = { ...USER_WRITE, ...(dryRun === undefined ? {} : { dryRun }) };
    return (await cluster.create(SECRET, newSecretObject(secret, at), options)).object;
  } catch (error) {
    if (!isAppError(error, 'AlreadyExists')) throw error;
    const message = `There is a Secret ${JSON.stringify(secret.name)} already: give the new one another name, or refer to that one`;
    const fault = { ...(secret.field === undefined ? {} : { field: secret.field }), message };
    throw new AppError('AlreadyExists', `secret ${secret.name}: ${message}`, { faults: [fault], cause: error });
  }
}

function madeUp(): string {
  const value = generatePassword({}, randomInt);
  if (value === undefined) throw new AppError('Internal', 'new Secret: no value could be generated');
  return value;
}
