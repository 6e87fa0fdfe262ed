import { ifFound } from '../../../domain/kubernetes/cluster.ts';
import { ENDPOINT_SLICE, SERVICE } from '../../../domain/kubernetes/resource-types.ts';
import { calledBy, CALLERS, type CalledService } from '../../../domain/operator/called-services.ts';
import { findCondition } from '../../../domain/kubernetes/condition.ts';
import { conditionsOf } from '../../../domain/health/rules/conditions.ts';
import { at, listAt, textAt } from '../../../domain/core/read.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import { isOfRelease } from '../memory/index-keys.ts';
import type { OperatorPorts } from '../ports.ts';
import type { ReleaseRef } from '../../helm-release/ports.ts';
import type { CrdFact } from './observe-crds.ts';

/** The selector of the EndpointSlices of a Service. */
export const SLICES_OF = 'kubernetes.io/service-name';

/** Something that the api-server has to call, and that does not answer. */
export interface UnavailableBackends {
  readonly reason: 'WebhookUnavailable' | 'APIServiceUnavailable';
  readonly message: string;
  /** When the api-server began to call it, in milliseconds since 1970. */
  readonly since: number;
}

interface Callers {
  readonly release: ReleaseRef;
  readonly crds: readonly CrdFact[];
}

/** The webhooks, conversion webhooks and APIServices of a release with nothing behind their Service. Webhooks whose failure is ignored do not count. */
export async function findUnanswering(
  cluster: OperatorPorts['cluster'],
  { release, crds }: Callers,
  signal: AbortSignal,
): Promise<readonly UnavailableBackends[]> {
  const lists = await Promise.all(
    CALLERS.map(async (type) => (await cluster.list(type, { labelSelector: 'app.kubernetes.io/managed-by=Helm', signal })).items),
  );
  const own = [...lists.flat().filter((object) => isOfRelease(object, release)), ...crds.map(({ object }) => object)];
  const found = await Promise.all(own.map((object) => unansweringOf(cluster, object, signal)));
  return found.flat();
}

async function unansweringOf(
  cluster: OperatorPorts['cluster'],
  object: KubeObject,
  signal: AbortSignal,
): Promise<readonly UnavailableBackends[]> {
  const since = Date.parse(object.metadata.creationTimestamp ?? '') || 0;
  const called = calledBy(object);
  if (object.kind === 'APIService') {
    const available = findCondition(conditionsOf(object), 'Available');
    if (called.length === 0 || available?.status === 'True') return [];
    const why = available?.message ?? 'not checked yet';
    return [{ reason: 'APIServiceUnavailable', message: `The APIService ${object.metadata.name} is not available: ${why}`, since }];
  }
  const found = await Promise.all(
    called.map(async ({ what, service }): Promise<readonly UnavailableBackends[]> => {
      const why = service === undefined ? undefined : await whyAway(cluster, service, signal);
      return why === undefined ? [] : [{ reason: 'WebhookUnavailable', message: `The ${what} does not answer: ${why}`, since }];
    }),
  );
  return found.flat();
}

/** Undefined while the Service has an endpoint, or stands for a name elsewhere. */
async function whyAway(
  cluster: OperatorPorts['cluster'],
  { namespace, name }: CalledService,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { items } = await cluster.list(ENDPOINT_SLICE, { namespace, labelSelector: `${SLICES_OF}=${name}`, signal });
  if (items.some(hasEndpoint)) return undefined;
  const service = items.length > 0 ? undefined : await ifFound(cluster.get({ ...SERVICE, namespace, name }, { signal }));
  if (items.length === 0 && service === undefined) return `the Service ${namespace}/${name} does not exist`;
  return textAt(service?.spec, 'type') === 'ExternalName' ? undefined : `the Service ${namespace}/${name} has no ready endpoint`;
}

/** `ready` is true where it is not said. */
function hasEndpoint(slice: KubeObject): boolean {
  return listAt(slice, 'endpoints').some((endpoint) => at(endpoint, 'conditions', 'ready') !== false);
}
