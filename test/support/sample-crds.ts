import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';

export type Schema = Readonly<Record<string, unknown>>;
export const text = { type: 'string' };
export const int = { type: 'integer' };

export function object(properties: Schema, more: Schema = {}): Schema {
  return { type: 'object', properties, ...more };
}

export function withSpec(a: Schema): Schema {
  return object({ spec: object({ a }) });
}

export interface CrdParts {
  readonly schema?: Schema;
  readonly versions?: readonly object[];
  readonly spec?: Schema;
  readonly stored?: readonly string[];
}

export function crd({ schema = withSpec(text), versions, spec = {}, stored = ['v1'] }: CrdParts): KubeObject {
  const only = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'as.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names: { kind: 'A', plural: 'as' }, versions: versions ?? [only], ...spec },
    status: { storedVersions: stored },
  };
}
