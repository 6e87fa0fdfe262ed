import { specOf, statusOf } from '../kind/kind.ts';
import { parseApiVersion, type KubeObject } from '../kubernetes/resource.ts';
import { APP_DEFINITION, ENVIRONMENT, OPERATOR } from '../kubernetes/resource-types.ts';
import { CATALOG_SOURCE_KIND } from '../source/catalog-source.ts';
import type { GitSource } from '../source/git-source.ts';
import { type ForgeRepository, forgeRepository } from './git-forge.ts';
import type { ProposedResource } from './proposal.ts';

/** A CatalogSource whose repository takes merge requests. */
export interface ProposalTarget {
  readonly name: string;
  readonly source: KubeObject;
  readonly git: GitSource;
  readonly repository: ForgeRepository;
}

/** The source as a target; undefined without git, or when nothing says which forge its repository is at. */
export function targetOfSource(source: KubeObject): ProposalTarget | undefined {
  const { git } = specOf(CATALOG_SOURCE_KIND, source);
  const repository = git === undefined ? undefined : forgeRepository(git);
  if (git === undefined || repository === undefined || source.metadata.deletionTimestamp !== undefined) return undefined;
  return { name: source.metadata.name, source, git, repository };
}

/** Whether the source applies such a resource. */
export function mayHold({ source }: Pick<ProposalTarget, 'source'>, { apiVersion, kind, namespace }: ProposedResource): boolean {
  const { group } = parseApiVersion(apiVersion);
  const { allowedKinds = [OPERATOR, ENVIRONMENT, APP_DEFINITION], mode, namespaces } = specOf(CATALOG_SOURCE_KIND, source);
  const isAllowed = allowedKinds.some((rule) => ['*', group].includes(rule.group) && ['*', kind].includes(rule.kind));
  return isAllowed && (mode === 'Cluster' || (namespace !== undefined && namespaces.includes(namespace)));
}

/** The file that a resource came from, relative to the folder of the source. */
export function fileInInventory(source: KubeObject, { apiVersion, kind, metadata: { namespace, name } }: KubeObject): string | undefined {
  const { group } = parseApiVersion(apiVersion);
  return statusOf(CATALOG_SOURCE_KIND, source).inventory.find(
    (item) => item.kind === kind && item.name === name && item.namespace === namespace && parseApiVersion(item.apiVersion).group === group,
  )?.file;
}

/** Where the source applies documents without a namespace; nothing for `default`. */
export function defaultNamespaceOf(source: KubeObject): { readonly defaultNamespace?: string } {
  const { mode, namespaces } = specOf(CATALOG_SOURCE_KIND, source);
  const [only] = mode === 'Namespaced' && namespaces.length === 1 ? namespaces : [];
  return only === undefined ? {} : { defaultNamespace: only };
}

/** The commit that the source has applied: what follows `@sha1:` in its revision. */
export function appliedCommit(source: KubeObject): string | undefined {
  return /@sha1:([0-9a-f]{40})$/.exec(statusOf(CATALOG_SOURCE_KIND, source).lastAppliedRevision ?? '')?.[1];
}
