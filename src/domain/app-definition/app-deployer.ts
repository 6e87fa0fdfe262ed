import { listAt } from '../core/read.ts';
import { APP_DEPLOYER_PREFIX, DEPLOYER } from '../environment/deployer.ts';
import { specOf } from '../kind/kind.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { APP_DEFINITION_KIND } from './app-definition-kind.ts';
import { type PermissionRule, roleRule } from './permission-rules.ts';

/** A ServiceAccount for the releases of one app, because they need more than those of others. */
export interface AppDeployer {
  /** Names of AppDefinitions are unique in the cluster and have 63 characters at most, so those of accounts neither collide nor are too long. */
  readonly account: string;
  /** Those beyond the role of `chandlery-deployer`, as a Role has them. */
  readonly rules: readonly object[];
}

/** The deployer that an AppDefinition asks for by `spec.permissions`; undefined where it asks for nothing. */
export function appDeployerOf(definition: KubeObject): AppDeployer | undefined {
  // Most have none, and each reconcile asks.
  if (listAt(definition.spec, 'permissions').length === 0) return undefined;
  const { permissions } = specOf(APP_DEFINITION_KIND, definition);
  if (permissions.length === 0) return undefined;
  return { account: appDeployerAccount(definition.metadata.name), rules: permissions.map((rule: PermissionRule) => roleRule(rule)) };
}

/**
 * The name of the ServiceAccount that acts for the instances of an AppDefinition: helm, its lookups, hooks and tests, drift, and the dry runs before. Nothing else
 * decides it.
 *
 * @param definition undefined for one that is gone.
 */
export function deployerOf(definition: KubeObject | undefined): string {
  return (definition && appDeployerOf(definition)?.account) ?? DEPLOYER;
}

/** The name of the account for the releases of an app. */
export function appDeployerAccount(definition: string): string {
  return `${APP_DEPLOYER_PREFIX}${definition}`;
}
