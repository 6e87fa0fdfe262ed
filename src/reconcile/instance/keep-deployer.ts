import { setTimeout as sleep } from 'node:timers/promises';
import { type AppDeployer, appDeployerAccount, appDeployerOf } from '../../domain/app-definition/app-deployer.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { textsAt } from '../../domain/core/read.ts';
import type { ResourceAttributes } from '../../domain/kubernetes/cluster.ts';
import { applyAppDeployer } from '../environment/app-deployers.ts';
import { parseEnvironment } from '../environment/environment-spec.ts';
import { isUnavailable } from '../helm-release/failure.ts';
import { environmentOf } from './prerequisites.ts';
import type { Work } from './work.ts';

/** What was applied last, by namespace and account. */
export type DeployerMemory = Map<string, string>;

/**
 * Makes the account of the app in the namespace of the Environment before the first release. The controller of Environments keeps it, and removes it after the last
 * instance; dedicated namespaces have theirs by `keepNamespace`.
 *
 * @returns why that cannot be done; undefined when it is, or the app has no account of its own.
 * @throws AppError `ClusterUnavailable` and such.
 */
export async function keepDeployer(memory: DeployerMemory, work: Work): Promise<AppError | undefined> {
  const { ports, kind, mode, namespace, signal } = work;
  const definition = ports.definitions.get(kind.definition);
  const deployer = definition && appDeployerOf(definition);
  const environment = environmentOf(ports.environments.all(), namespace);
  if (mode === 'Dedicated' || deployer === undefined || environment === undefined) {
    forgetDeployer(memory, work);
    return undefined;
  }
  const content = stringifyJson([environment.metadata.uid, environment.metadata.generation, deployer]);
  const key = keyOf(work);
  if (memory.get(key) === content) return undefined;
  try {
    const spec = parseEnvironment(environment, ports.environmentSettings);
    await applyAppDeployer(ports.cluster, { environment, spec }, { deployer, signal });
    await untilGranted(work, deployer);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError) || isUnavailable(error) || isAppError(error, 'Conflict')) throw error;
    return error;
  }
  memory.set(key, content);
  return undefined;
}

/** The account may be gone before the next instance comes. */
export function forgetDeployer(memory: DeployerMemory, work: Pick<Work, 'kind' | 'namespace'>): void {
  memory.delete(keyOf(work));
}

function keyOf({ kind, namespace }: Pick<Work, 'kind' | 'namespace'>): string {
  return `${namespace}/${appDeployerAccount(kind.definition)}`;
}

/** The authorizer of the api-server follows RBAC by a watch, which takes milliseconds. */
const ATTEMPTS = 30;
const POLL_MS = 100;

/** Waits a moment for the permissions, so that the first release does not fail for want of them. */
export async function untilGranted({ deployer: { cluster }, release: { namespace }, signal }: Work, { rules }: AppDeployer): Promise<void> {
  const asked = [{ verb: 'create', group: '', resource: 'secrets' }, ...rules.flatMap(firstPermission)];
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const answers = await Promise.all(asked.map(async (permission) => await cluster.review({ ...permission, namespace }, { signal })));
    if (answers.every(({ allowed }) => allowed)) return;
    await sleep(POLL_MS, undefined, { signal });
  }
}

function firstPermission(rule: object): ResourceAttributes[] {
  const [[group], [type], [verb], [name]] = [
    textsAt(rule, 'apiGroups'),
    textsAt(rule, 'resources'),
    textsAt(rule, 'verbs'),
    textsAt(rule, 'resourceNames'),
  ];
  if (group === undefined || type === undefined || verb === undefined) return [];
  const [resource = '', subresource] = type.split('/');
  return [{ verb, group, resource, ...(subresource === undefined ? {} : { subresource }), ...(name === undefined ? {} : { name }) }];
}
