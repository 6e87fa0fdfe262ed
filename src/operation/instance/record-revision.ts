import { isAppError } from '../../domain/core/errors.ts';
import { historyName, revisedContent, withRevision } from '../../domain/instance/instance-revision.ts';
import { applyMergePatch, isSame } from '../../domain/core/merge-patch.ts';
import { textAt } from '../../domain/core/read.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type Cluster, ifFound } from '../../domain/kubernetes/cluster.ts';
import { SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { maskValue } from '../../schema/sensitive/mask.ts';
import type { Ports } from '../ports.ts';
import type { FoundInstance } from './find-instance.ts';
import { USER_WRITE } from './instance-draft.ts';
import { contentMarked, markedOf } from './instance-masking.ts';

type Recorded = Pick<FoundInstance, 'entry' | 'ref'>;

/** One of those who write at the same time succeeds each time. */
const ATTEMPTS = 5;

/**
 * Keeps what an Instance was before a change, as the actor. The change is done already: who may not write Secrets there, or cannot now, changes it all the same, and the
 * revision is not kept.
 */
export async function recordRevision(
  ports: Pick<Ports, 'clusters' | 'changeRequests'>,
  actor: Actor,
  { before, after, ...recorded }: Recorded & { readonly before: KubeObject; readonly after: KubeObject },
): Promise<void> {
  if (isSame(revisedContent(before), revisedContent(after))) return;
  const replaced = new Date(ports.changeRequests.now()).toISOString();
  const { version } = recorded.ref;
  const added = { replaced, user: actor.user, version, content: keptContent(recorded, before) };
  const app = recorded.entry.summary.id;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write(ports.clusters.asActor(actor), recorded, (secret) => withRevision(secret, { app, instance: after, added }));
    } catch (error) {
      if (!isAppError(error)) throw error;
      if (attempt >= ATTEMPTS || !isAppError(error, 'Conflict', 'AlreadyExists')) return;
    }
  }
}

async function write(
  cluster: Pick<Cluster, 'get' | 'create' | 'replace'>,
  recorded: Recorded,
  change: (secret: KubeObject | undefined) => KubeObject | undefined,
): Promise<void> {
  const ref = historyRef(recorded);
  const secret = await ifFound(cluster.get(ref));
  const wanted = change(secret);
  if (wanted === undefined) return;
  if (secret === undefined) await cluster.create(SECRET, wanted, USER_WRITE);
  else await cluster.replace(ref, wanted, USER_WRITE);
}

/** The Secret with the earlier revisions of an Instance. */
export function historyRef({ entry, ref }: Recorded): typeof SECRET & { readonly namespace: string; readonly name: string } {
  return { ...SECRET, namespace: ref.namespace, name: historyName(entry.summary.id, ref.name) };
}

/**
 * What of an object is kept, and compared with what was kept: nothing sensitive. Of a release that asks for no version the one that runs, so that a rollback brings its
 * chart back, too.
 */
export function keptContent({ entry, ref }: Recorded, object: KubeObject): JsonObject {
  const content = revisedContent(object);
  const running = entry.summary.definition === undefined ? undefined : textAt(object.status, 'version');
  const value = running === undefined ? content : (applyMergePatch({ spec: { version: running } }, content) as JsonObject);
  return maskValue(contentMarked(markedOf(entry, ref.version)), { value, root: [] }) as JsonObject;
}
