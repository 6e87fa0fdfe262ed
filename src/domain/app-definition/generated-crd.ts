import { instanceSpec, instanceStatus } from '../app-instance/instance-kind.ts';
import { guessedPlural } from '../catalog/app-references.ts';
import { nameWords } from '../core/name-words.ts';
import { AGE_COLUMN, MESSAGE_COLUMN, type PrinterColumn, READY_COLUMN, RECONCILE_AT_COLUMN } from '../kind/kind.ts';
import { apiVersionOf, type JsonObject, type KubeObject } from '../kubernetes/resource.ts';
import { CRD } from '../kubernetes/resource-types.ts';
import { OURS } from '../kubernetes/names.ts';
import type { AppDefinitionFields, GeneratedNames } from './app-definition-kind.ts';
import { type Scale, scaleSubresource } from './scale.ts';

/** All generated kinds of a cluster: `kubectl get managed-apps`. */
const MANAGED_APPS = 'managed-apps';

/** Annotation on a generated CRD: the AppRevision that its schema is of. */
const REVISION_ANNOTATION = `${OURS.group}/app-revision`;

/** The columns of `kubectl get` of a generated kind. */
const INSTANCE_COLUMNS: readonly PrinterColumn[] = [
  READY_COLUMN,
  { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
  { name: 'Version', type: 'string', jsonPath: '.status.version' },
  { name: 'Available', type: 'string', description: 'A version that could be had', jsonPath: '.status.availableVersion', priority: 1 },
  { name: 'Expires', type: 'string', description: 'When it expires', jsonPath: '.status.expiry.expiresAt', priority: 1 },
  { name: 'Release', type: 'string', jsonPath: '.status.release.name', priority: 1 },
  RECONCILE_AT_COLUMN,
  { ...MESSAGE_COLUMN, priority: 1 },
  AGE_COLUMN,
];
const REPLICAS_COLUMN: PrinterColumn = { name: 'Replicas', type: 'integer', jsonPath: '.status.replicas' };

interface GeneratedKindInput {
  /** The name of the AppDefinition. */
  readonly definition: string;
  readonly names: GeneratedNames;
  /** What an instance is, a sentence. */
  readonly description: string;
  /** The structural schema of the values. */
  readonly values: JsonObject;
  /** The name of the AppRevision. */
  readonly revision: string;
  /** Absent where the kind has no subresource scale. */
  readonly scale?: Scale;
}

/** The name of the CustomResourceDefinition of a kind. */
export function generatedCrdName({ plural }: Pick<GeneratedNames, 'plural'>): string {
  return `${plural}.${OURS.appsGroup}`;
}

/** The CustomResourceDefinition that an AppDefinition generates. */
export function generatedCrd({ definition, names, description, values, revision, scale }: GeneratedKindInput): KubeObject {
  const { kind, plural, singular, shortNames } = names;
  const version = {
    name: OURS.appsVersion,
    served: true,
    storage: true,
    subresources: { status: {}, ...(scale === undefined ? {} : { scale: scaleSubresource(scale) }) },
    additionalPrinterColumns: scale === undefined ? INSTANCE_COLUMNS : [READY_COLUMN, REPLICAS_COLUMN, ...INSTANCE_COLUMNS.slice(1)],
    schema: { openAPIV3Schema: schemaOf(kind, { description, values }) },
  };
  return {
    apiVersion: apiVersionOf(CRD),
    kind: CRD.kind,
    metadata: {
      name: generatedCrdName(names),
      labels: { 'app.kubernetes.io/part-of': 'chandlery', [OURS.appDefinitionLabel]: definition },
      annotations: { [REVISION_ANNOTATION]: revision },
    },
    spec: {
      group: OURS.appsGroup,
      scope: 'Namespaced',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        ...(shortNames.length === 0 ? {} : { shortNames }),
        categories: [MANAGED_APPS],
      },
      versions: [version],
    },
  };
}

function schemaOf(kind: string, { description, values }: Pick<GeneratedKindInput, 'description' | 'values'>): object {
  const { schema: spec } = instanceSpec;
  const help = spec.properties?.['values']?.description;
  return {
    type: 'object',
    ...(description === '' ? {} : { description }),
    properties: {
      apiVersion: { type: 'string', description: `The version of this kind, ${OURS.appsGroup}/${OURS.appsVersion}.` },
      kind: { type: 'string', description: `${kind}.` },
      metadata: { type: 'object' },
      spec: { ...spec, properties: { ...spec.properties, values: { ...values, ...(help === undefined ? {} : { description: help }) } } },
      status: instanceStatus.schema,
    },
  };
}

/** A plural is a label of a DNS name; a singular begins the names of releases. */
const LONGEST = { kind: 63, plural: 63, singular: 40 };

/** The names of a generated kind: those of the spec, else from the name of the chart, such as `WebApp`, `webapps` and `webapp` from `web-app`. */
export function generatedNames(given: AppDefinitionFields['names'], chart: string): GeneratedNames {
  const words = nameWords(chart).map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
  const joined = words.join('');
  const kind = given.kind ?? (/^[A-Z]/.test(joined) ? joined : `App${joined}`).slice(0, LONGEST.kind);
  const singular = given.singular ?? kind.toLowerCase().slice(0, LONGEST.singular);
  const plural = given.plural ?? guessedPlural(kind.toLowerCase().slice(0, LONGEST.plural - 3));
  return { kind, plural, singular, shortNames: given.shortNames };
}
