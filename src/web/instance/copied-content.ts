import { isObject, objectAt, textAt } from '../../domain/core/read.ts';
import { ownContentOf } from '../../domain/instance/instance-content.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { type Json, type JsonObject, parseApiVersion } from '../../domain/kubernetes/resource.ts';
import type { Visit, WebDeps } from '../page/page.ts';
import { hasStandIn } from '../../schema/sensitive/mask.ts';

/** The content of a new instance like another one: without sensitive values, which stay where they are, and without what is about the time of the other one. */
export function contentForCopy({ object }: Pick<InstanceView, 'object'>): JsonObject {
  const { metadata: _metadata, ...content } = ownContentOf(object);
  const copied = withoutStandIns(content, undefined) as JsonObject;
  const { spec } = copied;
  if (!isRelease(object.apiVersion) || !isObject(spec)) return copied;
  const { suspend: _suspend, expires: _expires, ...rest } = spec;
  return { ...copied, spec: { ...rest, ...versionOf(object) } };
}

/**
 * The content of an instance with the values of another one of its App; of a release with its version, too, and nothing else of its spec. Sensitive values stay as they
 * are.
 */
export function contentForPromotion(target: Pick<InstanceView, 'object'>, { object }: Pick<InstanceView, 'object'>): JsonObject {
  const live = ownContentOf(target.object);
  const { spec = {} } = ownContentOf(object);
  const wanted = withoutStandIns(spec, live['spec']);
  if (!isRelease(object.apiVersion)) return { ...live, spec: wanted ?? {} };
  const values = objectAt(wanted, 'values') as JsonObject;
  return { ...live, spec: { ...objectAt(live['spec']), ...versionOf(object), values } };
}

function isRelease(apiVersion: string): boolean {
  return parseApiVersion(apiVersion).group === OURS.appsGroup;
}

/** The version that it asks for, else the one that runs. */
function versionOf({ spec, status }: InstanceView['object']): { readonly version?: string } {
  const version = textAt(spec, 'version') ?? textAt(status, 'version');
  return version === undefined ? {} : { version };
}

/** A value with those of another one in the place of its stand-ins; where that has none, without. */
function withoutStandIns(value: unknown, live: unknown): Json | undefined {
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

/** Another instance of the same App that a link names as `from=environment/name`, as far as the actor may read it; undefined where it names none. */
export async function copiedInstance(
  operations: Pick<WebDeps['operations'], 'showInstance'>,
  { actor, query }: Pick<Visit, 'actor' | 'query'>,
  app: string,
): Promise<InstanceView | undefined> {
  const [environment = '', name = '', ...more] = (query.get('from') ?? '').split('/');
  if (environment === '' || name === '' || more.length > 0) return undefined;
  return await operations.showInstance(actor, { environment, app, name });
}
