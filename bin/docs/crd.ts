import { stringify } from 'yaml';
import type { StaticKind, Kind } from '../../src/domain/kind/kind.ts';
import { apiVersionOf } from '../../src/domain/kubernetes/resource.ts';

export type DocumentedKind = Kind<unknown, unknown> | StaticKind<unknown>;

/** The CustomResourceDefinition of a kind of ours, as a file of our chart. */
export function crdFile(kind: DocumentedKind): string {
  const yaml = stringify(crdOf(kind), { lineWidth: 0, singleQuote: true, aliasDuplicateObjects: false });
  return `# Written by \`npm run docs\` from src/domain/.\n${yaml}`;
}

function crdOf(kind: DocumentedKind): object {
  const { group, version, resource: plural, kind: name, namespaced } = kind.type;
  const served = {
    name: version,
    served: true,
    storage: true,
    ...('status' in kind ? { subresources: { status: {} } } : {}),
    additionalPrinterColumns: kind.columns,
    schema: { openAPIV3Schema: schemaOf(kind) },
  };
  const names = {
    kind: name,
    listKind: `${name}List`,
    plural,
    singular: name.toLowerCase(),
    ...(kind.shortNames === undefined ? {} : { shortNames: kind.shortNames }),
    categories: ['chandlery'],
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    // The strategy is the default, and named so that a live CRD can be compared with this one.
    spec: { group, scope: namespaced ? 'Namespaced' : 'Cluster', names, versions: [served], conversion: { strategy: 'None' } },
  };
}

function schemaOf({ type, description, rules, spec, ...kind }: DocumentedKind): object {
  return {
    type: 'object',
    description,
    required: ['spec'],
    ...(rules === undefined ? {} : { 'x-kubernetes-validations': rules }),
    properties: {
      apiVersion: { type: 'string', description: `The version of this kind, ${apiVersionOf(type)}.` },
      kind: { type: 'string', description: `${type.kind}.` },
      metadata: { type: 'object' },
      spec: spec.schema,
      ...('status' in kind ? { status: kind.status.schema } : {}),
    },
  };
}
