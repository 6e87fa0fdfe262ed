import { compareTexts } from '../domain/core/compare-texts.ts';
import { randomUUID } from 'node:crypto';
import { callRoute } from '../api/call-route.ts';
import type { Api } from '../cli/api.ts';
import type { RequestOrigin } from '../domain/audit/audit-log.ts';
import { AppError, isAppError } from '../domain/core/errors.ts';
import { parseJson, stringifyJson } from '../domain/core/exact-json.ts';
import type { CatalogCache, Cluster } from '../domain/kubernetes/cluster.ts';
import { keyOf, type KubeObject, type ResourceType } from '../domain/kubernetes/resource.ts';
import { explainWebhooks } from '../kube/explain-webhooks.ts';
import { createKube, type KubeOptions } from '../kube/kube.ts';
import { CATALOG_TYPES } from '../kube/watch/catalog-cache.ts';
import type { AuditPort } from '../operation/audit/audited.ts';
import { catalogRules, createHealthEvaluator } from '../operation/health/health-evaluator.ts';
import { createNamespaceMemory } from '../operation/environment/namespace-memory.ts';
import { withoutIndex } from '../operation/index-port.ts';
import { bindOperations } from '../operation/operations.ts';
import type { Ports } from '../operation/ports.ts';

export interface LocalApiInput extends Pick<KubeOptions, 'kubeconfigPath' | 'context'> {
  readonly signal: AbortSignal;
}

/**
 * The REST API in this process, over a cluster and with the identity of its kubeconfig: its permissions are those of this user, and nobody is impersonated.
 * What only a server keeps is `ServerRequired`.
 *
 * @throws AppError `ConfigInvalid` for a kubeconfig that cannot be used, `Forbidden` for somebody who may not read the catalogue.
 */
export async function openLocalApi({ signal, ...access }: LocalApiInput): Promise<Api> {
  const kube = createKube({ userAgent: 'chandlery-cli', ...access });
  try {
    const own = kube.asOneself();
    const [actor, catalog] = await Promise.all([kube.ownActor({ signal }), readCatalog(own.asController(), signal)]);
    const clusters = explainWebhooks(own, catalog);
    const ports: Ports = {
      clusters,
      catalog,
      discovery: kube,
      index: withoutIndex(clusters),
      namespaceMemory: createNamespaceMemory(),
      health: createHealthEvaluator({ rules: catalogRules(catalog) }),
      chart: () => Promise.resolve(undefined),
      upgrades: serverOnly({} as Ports['upgrades'], 'upgrade previews'),
      sourcePreviews: serverOnly({} as Ports['sourcePreviews'], 'previews of sources'),
      metrics: serverOnly({} as Ports['metrics'], 'metrics'),
      accessTokens: serverOnly({} as Ports['accessTokens'], 'personal access tokens'),
      changeRequests: { now: Date.now, appliedBy: 'Impersonation' },
      proposals: serverOnly({} as Ports['proposals'], 'proposals'),
      kubectl: serverOnly({} as Ports['kubectl'], 'kubeconfigs'),
      savedConfigurations: serverOnly({} as Ports['savedConfigurations'], 'saved configurations'),
      deployments: serverOnly({} as Ports['deployments'], 'deployments of CI jobs'),
      auditLog: clusterAudit,
      publicUrl: 'https://chandlery.example.com',
    };
    const operations = bindOperations(ports);
    return {
      address: kube.server(),
      call: async (operationId, request = {}) => {
        const { body } = await callRoute({ operations, actor, requestOrigin: newRequest() }, operationId, request);
        return body === undefined ? undefined : parseJson(stringifyJson(body));
      },
      close: async () => await kube.close(),
    };
  } catch (error) {
    await kube.close();
    throw error;
  }
}

function newRequest(): RequestOrigin {
  return { via: 'api', requestId: randomUUID() };
}

/** The catalogue resources as they are now. */
async function readCatalog(cluster: Pick<Cluster, 'list'>, signal: AbortSignal): Promise<CatalogCache> {
  const [operators, crds, environments, definitions, sources] = await Promise.all(
    [
      CATALOG_TYPES.operators,
      CATALOG_TYPES.customResourceDefinitions,
      CATALOG_TYPES.environments,
      CATALOG_TYPES.appDefinitions,
      CATALOG_TYPES.catalogSources,
    ].map(async (type) => await readAll(cluster, type, signal)),
  );
  return {
    operators: () => operators ?? [],
    customResourceDefinitions: () => crds ?? [],
    environments: () => environments ?? [],
    appDefinitions: () => definitions ?? [],
    catalogSources: () => sources ?? [],
  };
}

async function readAll(cluster: Pick<Cluster, 'list'>, type: ResourceType, signal: AbortSignal): Promise<readonly KubeObject[]> {
  try {
    const { items } = await cluster.list(type, { signal });
    return [...items].sort((a, b) => compareTexts(keyOf(a), keyOf(b)));
  } catch (error) {
    if (isAppError(error, 'NotFound')) {
      throw new AppError('NotFound', `${type.resource}.${type.group}: the cluster does not have this CRD; is Chandlery installed in it?`, {
        cause: error,
      });
    }
    if (!isAppError(error, 'Forbidden')) throw error;
    const why =
      'the user of your kubeconfig may not read the whole catalogue; ask the Chandlery server with --server URL, or "chandlery login URL"';
    const missing = error.missing === undefined ? {} : { missing: error.missing };
    throw new AppError('Forbidden', `${error.message}: ${why}`, { cause: error, ...missing });
  }
}

/** A port whose every use says that it takes a server. */
function serverOnly<T extends object>(port: T, what: string): T {
  const fail = (): never => {
    throw new AppError('ServerRequired', `${what}: the command acts in the cluster of your kubeconfig; name the server with --server URL`);
  };
  return new Proxy(port, { get: fail });
}

/** The audit log of the api-server has who did what; the one of Chandlery belongs to its server. */
const clusterAudit: AuditPort = {
  checkRateLimit: () => undefined,
  append: () => Promise.resolve(),
  search: () => Promise.reject(new AppError('ServerRequired', 'audit log: name the server with --server URL')),
  now: Date.now,
};
