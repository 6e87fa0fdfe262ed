import { stringify } from 'yaml';
import type { Kind } from '../../src/domain/kind/kind.ts';
import { apiVersionOf } from '../../src/domain/kubernetes/resource.ts';

/** The CustomResourceDefinition of a kind of ours, as a file of our chart. */
export function crdFile(kind: Kind<unknown, unknown>): string {
  const yaml = stringify(crdOf(kind), { lineWidth: 0, singleQuote: true, aliasDuplicateObjects: false });
  return `# Written by \`npm run docs\` from src/domain/.\n${yaml}`;
}

function crdOf({ type, shortNames, columns, ...kind }: Kind<unknown, unknown>): object {
  const { group, version, resource: plural, kind: name, namespaced } = type;
  const schema = {
    type: 'object',
    description: kind.description,
    required: ['spec'],
    ...(kind.rules === undefined ? {} : { 'x-kubernetes-validations': kind.rules }),
    properties: {
      apiVersion: { type: 'string', description: `The version of this kind, ${apiVersionOf(type)}.` },
      kind: { type: 'string', description: `${name}.` },
      metadata: { type: 'object' },
      spec: kind.spec.schema,
      status: kind.status.schema,
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: {
        kind: name,
        listKind: `${name}List`,
        plural,
        singular: name.toLowerCase(),
        ...(shortNames === undefined ? {} : { shortNames }),
        categories: ['chandlery'],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  };
}
