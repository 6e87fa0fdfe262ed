import type { KubeObject } from '../kubernetes/resource.ts';
import { rulesFor } from './conversion.ts';
import type { Lifted, RuleTable } from './conversion.ts';
import { compact, fieldsOf, isFields, listOf, without, withSpec } from './fields.ts';
import type { Fields } from './fields.ts';
import { structuralRoot } from './structural-schema.ts';

const CURRENT = 'apiextensions.k8s.io/v1';
const APPROVAL = 'api-approved.kubernetes.io';

export const crdRules: RuleTable = rulesFor(['apiextensions.k8s.io/v1beta1'], ['CustomResourceDefinition'], liftDefinition);

/** What v1beta1 allowed at the top of the spec for all versions at once, and v1 only in each version. */
const PER_VERSION = ['validation', 'subresources', 'additionalPrinterColumns'];

function liftDefinition(object: KubeObject): Lifted {
  const spec = fieldsOf(object.spec);
  const notes = new Set<string>();
  const versions = versionsOf(spec).map((version) => currentVersion(version, spec, notes));
  if (versions.length === 0) return { failed: 'it names no version' };
  const conversion = isFields(spec['conversion']) ? currentConversion(spec['conversion']) : undefined;
  const rest = without(spec, 'version', 'preserveUnknownFields', ...PER_VERSION);
  const current = compact({ scope: 'Namespaced', ...rest, versions, conversion });
  const lifted = approved(withSpec(object, CURRENT, current), spec, notes);
  return { object: lifted, notes: [...notes] };
}

function versionsOf(spec: Fields): Fields[] {
  const versions = listOf(spec['versions']);
  if (versions.length > 0) return versions;
  return typeof spec['version'] === 'string' ? [{ name: spec['version'], served: true, storage: true }] : [];
}

function currentVersion(version: Fields, spec: Fields, notes: Set<string>): Fields {
  const validation = fieldsOf(version['schema'] ?? spec['validation']);
  const root = structuralRoot(validation['openAPIV3Schema'], spec['preserveUnknownFields'] === false ? 'prune' : 'preserve');
  for (const note of root.notes) notes.add(note);
  const columns = version['additionalPrinterColumns'] ?? spec['additionalPrinterColumns'];
  return compact({
    ...version,
    schema: { openAPIV3Schema: root.schema },
    subresources: version['subresources'] ?? spec['subresources'],
    additionalPrinterColumns: columns === undefined ? undefined : listOf(columns).map(currentColumn),
  });
}

function currentColumn(column: Fields): Fields {
  return compact({ ...without(column, 'JSONPath'), jsonPath: column['jsonPath'] ?? column['JSONPath'] });
}

function currentConversion(conversion: Fields): Fields {
  const { strategy, webhookClientConfig } = conversion;
  if (webhookClientConfig === undefined) return { strategy: strategy ?? 'None' };
  const conversionReviewVersions = conversion['conversionReviewVersions'] ?? ['v1beta1'];
  return { strategy, webhook: { clientConfig: webhookClientConfig, conversionReviewVersions } };
}

/** v1 asks every kind in a group of the Kubernetes project for an approval; "unapproved" is the value for those that never had one. */
function approved(object: KubeObject, spec: Fields, notes: Set<string>): KubeObject {
  const annotations = object.metadata.annotations ?? {};
  const guarded = /(^|\.)(k8s|kubernetes)\.io$/.test(String(spec['group']));
  if (!guarded || APPROVAL in annotations) return object;
  notes.add('the annotation that marks the kind as not approved by the Kubernetes project was added');
  const metadata = { ...object.metadata, annotations: { ...annotations, [APPROVAL]: 'unapproved, converted from v1beta1' } };
  return { ...object, metadata };
}
