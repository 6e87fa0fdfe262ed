import type { KnownType } from '../domain/kubernetes/resource-types.ts';
import type { JsonSchema } from './route.ts';

/** What schemas of the API are made of. */
export const text = { type: 'string' } as const;
export const flag = { type: 'boolean' } as const;
export const integer = { type: 'integer' } as const;
export const time = { type: 'string', description: 'RFC 3339; empty when unknown' } as const;
export const anything = { type: 'object', additionalProperties: true } as const;

/** An object; every property is required unless the required ones are named. */
export function object(properties: Readonly<Record<string, unknown>>, required: readonly string[] = Object.keys(properties)): JsonSchema {
  return { type: 'object', properties, required };
}

export function list(items: unknown): JsonSchema {
  return { type: 'array', items };
}

/** A resource of ours as kubectl would send it. @param metadata what its metadata has beside name, labels and annotations. */
export function manifestOf({ group, version, kind }: KnownType, metadata: Readonly<Record<string, unknown>> = {}): JsonSchema {
  const name = { type: 'string', maxLength: 63 };
  return {
    ...object({
      apiVersion: { const: `${group}/${version}` },
      kind: { const: kind },
      metadata: { ...object({ name, ...metadata, labels: anything, annotations: anything }, ['name']), additionalProperties: false },
      spec: anything,
    }),
    description: 'The resource itself, as kubectl would send it',
    additionalProperties: false,
  };
}

/** A reference to a component of the OpenAPI document by its name. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** A page of a list of components. */
export function pageOf(name: string, extra: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  return object(
    { items: { type: 'array', items: ref(name) }, next: { type: 'string', description: 'The cursor of the next page' }, ...extra },
    ['items'],
  );
}
