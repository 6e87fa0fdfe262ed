import type { CatalogCache, Cluster, Clusters, DryRunCluster } from '../domain/kubernetes/cluster.ts';
import { AppError } from '../domain/core/errors.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import { CALLERS, explainUnanswered, isNamedBy } from '../domain/operator/called-services.ts';
import { unansweredSentence, type Unanswered } from '../domain/kubernetes/unanswered.ts';

const PATIENCE_MS = 3_000;

/**
 * The same clusters, whose errors about a webhook that does not answer name the configuration behind it, its Service and the Operator that brought it.
 * The api-server itself tells the name of the webhook alone. The configuration is read by the controller's account, because people hardly ever may.
 */
export function explainWebhooks(clusters: Clusters, catalog: Known): Clusters {
  const explain = async (error: unknown): Promise<unknown> => await explained({ clusters, catalog }, error);
  return {
    asController: () => clusters.asController(),
    asActor: (actor) => explainingCluster(clusters.asActor(actor), explain),
    dryRunAsActor: (actor) => explainingDryRun(clusters.dryRunAsActor(actor), explain),
    dryRunAsController: (actor) => explainingDryRun(clusters.dryRunAsController(actor), explain),
    dryRunAsDeployer: (actor, account) => explainingDryRun(clusters.dryRunAsDeployer(actor, account), explain),
  };
}

type Known = Pick<CatalogCache, 'operators' | 'customResourceDefinitions'>;
type Explain = (error: unknown) => Promise<unknown>;

function explainingCluster(cluster: Cluster, explain: Explain): Cluster {
  return {
    ...cluster,
    get: explaining(cluster.get, explain),
    list: explaining(cluster.list, explain),
    listMetadata: explaining(cluster.listMetadata, explain),
    pages: (type, options) => explainingPages(cluster.pages(type, options), explain),
    create: explaining(cluster.create, explain),
    apply: explaining(cluster.apply, explain),
    applyStatus: explaining(cluster.applyStatus, explain),
    replace: explaining(cluster.replace, explain),
    patch: explaining(cluster.patch, explain),
    delete: explaining(cluster.delete, explain),
  };
}

function explainingDryRun(cluster: DryRunCluster, explain: Explain): DryRunCluster {
  return {
    ...cluster,
    dryRunApply: explaining(cluster.dryRunApply, explain),
    dryRunCreate: explaining(cluster.dryRunCreate, explain),
    metadataOf: explaining(cluster.metadataOf, explain),
  };
}

function explaining<A extends readonly unknown[], R>(ask: (...args: A) => Promise<R>, explain: Explain): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await ask(...args);
    } catch (error) {
      throw await explain(error);
    }
  };
}

async function* explainingPages<T>(pages: AsyncIterable<T>, explain: Explain): AsyncGenerator<T> {
  try {
    yield* pages;
  } catch (error) {
    throw await explain(error);
  }
}

interface Sources {
  readonly clusters: Clusters;
  readonly catalog: Known;
}

async function explained({ clusters, catalog }: Sources, error: unknown): Promise<unknown> {
  if (!(error instanceof AppError) || error.unanswered === undefined) return error;
  const { unanswered, code, message } = error;
  const found =
    unanswered.kind === 'Conversion'
      ? known(catalog.customResourceDefinitions).find((crd) => isNamedBy(unanswered, crd))
      : await findCaller(clusters.asController(), unanswered);
  const sentence = explainUnanswered(unanswered, { found, operators: known(catalog.operators) });
  const what = message.slice(0, Math.max(0, message.length - unansweredSentence(unanswered).length));
  return new AppError(code, `${what}${sentence}`, { faults: [{ message: sentence }], unanswered, cause: error });
}

/** Undefined when nothing names it, or nobody can tell now. */
async function findCaller(cluster: Pick<Cluster, 'list'>, unanswered: Unanswered): Promise<KubeObject | undefined> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    for (const type of CALLERS) {
      const { items } = await cluster.list(type, { signal });
      const found = items.find((object) => isNamedBy(unanswered, object));
      if (found !== undefined) return found;
    }
  } catch {
    return undefined;
  }
  return undefined;
}

/** Nothing while the catalogue has not been read. */
function known(read: () => readonly KubeObject[]): readonly KubeObject[] {
  try {
    return read();
  } catch {
    return [];
  }
}
