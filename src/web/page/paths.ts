import type { InstanceAddress } from '../../operation/instance/find-instance.ts';
import type { ResourceAddress } from '../../operation/resource/find-resource.ts';

/** The address of an App's page; `tab` absent for its overview. */
export function appPath(app: string, tab?: string): string {
  const page = `/apps/${encodeURIComponent(app)}`;
  return tab === undefined ? page : `${page}?tab=${encodeURIComponent(tab)}`;
}

export function installPath(app: string, environment?: string): string {
  const page = `${appPath(app)}/install`;
  return environment === undefined ? page : `${page}?environment=${encodeURIComponent(environment)}`;
}

/** What the fields of an App are; `field` absent for all of it. */
export function referencePath(app: string, field?: string): string {
  const page = `${appPath(app)}/reference`;
  return field === undefined ? page : `${page}?field=${encodeURIComponent(field)}`;
}

/** The saved configurations of an App. */
export function savedConfigurationsPath(app: string): string {
  return `${appPath(app)}/saved-configurations`;
}

/** One saved configuration. */
export function savedConfigurationPath({ app, id }: { readonly app: string; readonly id: string }): string {
  return `${savedConfigurationsPath(app)}/${encodeURIComponent(id)}`;
}

export function environmentPath(environment: string): string {
  return `/environments/${encodeURIComponent(environment)}`;
}

/** Below `/environments`, every name is one of an environment. */
export const NEW_ENVIRONMENT_PATH = '/admin/environments/new';

/** The form of a new CatalogSource; not below `/sources`, where it would be the page of the source `new`. */
export const NEW_SOURCE_PATH = '/admin/sources/new';

/** The charts that are offered as apps. */
export const APP_DEFINITIONS_PATH = '/admin/app-definitions';

export function appDefinitionPath(name: string): string {
  return `${APP_DEFINITIONS_PATH}/${encodeURIComponent(name)}`;
}
export const UPLOADED_CHARTS_PATH = '/admin/charts';
export const NEW_APP_DEFINITION_PATH = `${APP_DEFINITIONS_PATH}/new`;

/** Everything in the namespace of an environment. */
export function environmentResourcesPath(environment: string): string {
  return `${environmentPath(environment)}/resources`;
}

/** One resource of an environment, or a page below it; `resource` is its plural and group, such as `deployments.apps`. */
export function resourcePath(
  environment: string,
  { resource, name, dedicatedTo }: Omit<ResourceAddress, 'environment'>,
  below?: string,
): string {
  const page = `${environmentResourcesPath(environment)}/${encodeURIComponent(resource)}/${encodeURIComponent(name)}`;
  return hrefWith(below === undefined ? page : `${page}/${below}`, { instance: dedicatedTo });
}

/** What a Prometheus says of an environment; `range` absent for the default. */
export function environmentMonitoringPath(environment: string, range?: string): string {
  const page = `${environmentPath(environment)}/monitoring`;
  return range === undefined ? page : `${page}?range=${encodeURIComponent(range)}`;
}

/** What happened in an environment. */
export function environmentTimelinePath(environment: string): string {
  return `${environmentPath(environment)}/timeline`;
}

/** Everybody with a role in an environment. */
export function environmentMembersPath(environment: string): string {
  return `${environmentPath(environment)}/members`;
}

/** Why somebody may do something, or not. */
export const ACCESS_REVIEW_PATH = '/admin/access-review';

/** What the reader may do, where. */
export const PERMISSIONS_PATH = '/account/permissions';

/** The personal access tokens of the reader, and for admins those of everybody. */
export const ACCESS_TOKENS_PATH = '/account/tokens';
export const ALL_ACCESS_TOKENS_PATH = '/admin/access-tokens';
/** The tokens that register Environments. */
export const REGISTRATION_TOKENS_PATH = '/admin/registration-tokens';

/** How the reader uses kubectl as themselves. */
export const KUBECTL_PATH = '/account/kubectl';
/** Their kubeconfig as a file. */
export const KUBECONFIG_PATH = '/account/kubeconfig';

/** The same in an environment. */
export function kubectlPath(environment: string): string {
  return `${KUBECTL_PATH}?environment=${encodeURIComponent(environment)}`;
}

/** Apps × environments. */
export const TIER_BOARD_PATH = '/tier-board';

/** The deploy board of an environment. */
export function environmentWorkloadsPath(environment: string): string {
  return `${environmentPath(environment)}/workloads`;
}

export function instancePath({ environment, app, name }: InstanceAddress): string {
  return `${environmentPath(environment)}/instances/${encodeURIComponent(app)}/${encodeURIComponent(name)}`;
}

/** Where an Instance is moved to a version of its kind. */
export function migrationPath(instance: InstanceAddress, version: string): string {
  return `${instancePath(instance)}/migration?version=${encodeURIComponent(version)}`;
}

/** The address of an Operator's page, or of one below it. */
export function operatorPath({ namespace, name }: { readonly namespace: string; readonly name: string }, below?: string): string {
  const page = `/operators/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
  return below === undefined ? page : `${page}/${below}`;
}

/** The drafts, or those that probably belong to one Operator. */
export function draftsPath(operator?: { readonly namespace: string; readonly name: string }, after?: string): string {
  return hrefWith('/catalog/drafts', { operator: operator && `${operator.namespace}/${operator.name}`, after });
}

export function changeRequestPath(id: string): string {
  return `/change-requests/${encodeURIComponent(id)}`;
}

/** The address of the page of a CatalogRelease, or of one below it. */
export function releasePath(name: string, below?: string): string {
  const page = `/releases/${encodeURIComponent(name)}`;
  return below === undefined ? page : `${page}/${below}`;
}

/** The address of the page of a CatalogSource, or of one below it. */
export function sourcePath(name: string, below?: string): string {
  const page = `/sources/${encodeURIComponent(name)}`;
  return below === undefined ? page : `${page}/${below}`;
}

/** An address with the parameters that have a value, and once for each of several values. */
export function hrefWith(path: string, parameters: Readonly<Record<string, string | readonly string[] | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, values]) =>
    [values ?? []].flat().map((value): [string, string] => [name, value]),
  );
  const query = new URLSearchParams(given.filter(([, value]) => value !== '')).toString();
  return query === '' ? path : `${path}?${query}`;
}
