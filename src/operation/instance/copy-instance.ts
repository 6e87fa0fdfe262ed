import { isAppInstance } from '../../domain/app-instance/instance.ts';
import { isObject, objectAt, textAt } from '../../domain/core/read.ts';
import { ownContentOf, splitContent } from '../../domain/instance/instance-content.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { hasStandIn } from '../../schema/sensitive/mask.ts';
import type { InstanceAddress } from './find-instance.ts';
import type { InstanceChange } from './instance-change.ts';
import type { InstanceDraft } from './instance-draft.ts';
import { showInstance } from './show-instance.ts';

/** The content of a new instance like another one, at its version or in its channel: without sensitive values, which stay where they are, and without what is about the time of the other one. */
export function contentForCopy({ object }: Pick<InstanceView, 'object'>): JsonObject {
  const { metadata: _metadata, ...content } = ownContentOf(object);
  const copied = withoutStandIns(content, undefined) as JsonObject;
  const { spec } = copied;
  if (!isAppInstance(object) || !isObject(spec)) return copied;
  const { suspend: _suspend, sleep: _sleep, expires: _expires, ...rest } = spec;
  const isFollowing = rest['channel'] !== undefined && rest['version'] === undefined;
  return { ...copied, spec: { ...rest, ...(isFollowing ? {} : versionOf(object)) } };
}

/**
 * The content of an instance with the values of another one of its App; of a release with its version, too, and nothing else of its spec. Sensitive values stay as they
 * are.
 */
export function contentForPromotion(target: Pick<InstanceView, 'object'>, { object }: Pick<InstanceView, 'object'>): JsonObject {
  const live = ownContentOf(target.object);
  const { spec = {} } = ownContentOf(object);
  const wanted = withoutStandIns(spec, live['spec']);
  if (!isAppInstance(object)) return { ...live, spec: wanted ?? {} };
  const values = objectAt(wanted, 'values') as JsonObject;
  return { ...live, spec: { ...objectAt(live['spec']), ...versionOf(object), values } };
}

/** The version that it asks for, else the one that runs. */
function versionOf({ spec, status }: InstanceView['object']): { readonly version?: string } {
  const version = textAt(spec, 'version') ?? textAt(status, 'version');
  return version === undefined ? {} : { version };
}

/** A value with those of another one in the place of its stand-ins; where that has none, without. */
export function withoutStandIns(value: unknown, live: unknown): Json | undefined {
  if (typeof value === 'string' && hasStandIn(value)) return live as Json | undefined;
  if (Array.isArray(value)) {
    const items = Array.isArray(live) ? live : [];
    return value.flatMap((item, index) => withoutStandIns(item, items[index]) ?? []);
  }
  if (!isObject(value)) return value as Json;
  const kept = Object.entries(value).flatMap(([key, member]) => {
    const one = withoutStandIns(member, isObject(live) ? live[key] : undefined);
    return one === undefined ? [] : [[key, one] as const];
  });
  return Object.fromEntries(kept);
}

/** An instance, and what it is to become elsewhere: another name, or the same in another environment. */
export interface CopyInput extends InstanceAddress {
  readonly to: { readonly environment: string; readonly name: string };
}

/** What a copy of an Instance would be created with. Throws as `showInstance`. */
export async function copyOf(ports: Parameters<typeof showInstance>[0], actor: Actor, { to, ...from }: CopyInput): Promise<InstanceDraft> {
  const source = await showInstance(ports, actor, from);
  return { app: from.app, ...to, ...splitContent(contentForCopy(source)) };
}

/** The change that brings the values of an Instance, and the version of a release, to another one of its App. Throws as `showInstance`. */
export async function promotionOf(
  ports: Parameters<typeof showInstance>[0],
  actor: Actor,
  { to, ...from }: CopyInput,
): Promise<InstanceChange> {
  const address = { app: from.app, ...to };
  const [source, target] = await Promise.all([showInstance(ports, actor, from), showInstance(ports, actor, address)]);
  return { ...address, spec: splitContent(contentForPromotion(target, source)).spec };
}
