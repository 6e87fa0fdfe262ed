import { listInShort } from '../core/name-words.ts';
import { BUILT_IN_NAMES, type KubectlNames } from '../kubernetes/built-in-names.ts';
import { CHANGE_REQUEST_KIND } from '../change-request/change-request-kind.ts';
import { ENVIRONMENT_KIND } from '../environment/environment-kind.ts';
import { GITLAB_DEPLOYMENT_KIND } from '../gitlab/gitlab-deployment.ts';
import { GITLAB_MONITORING_KIND } from '../gitlab/gitlab-monitoring.ts';
import type { StaticKind } from '../kind/kind.ts';
import { RESOURCE_COMPOSITION_KIND } from '../kubeplus/resource-composition.ts';
import { OPERATOR_KIND } from '../operator/kind/operator-kind.ts';
import { CATALOG_RELEASE_KIND } from '../release/catalog-release.ts';
import { SAVED_CONFIGURATION_KIND } from '../saved-configuration/saved-configuration-kind.ts';
import { CATALOG_SOURCE_KIND } from '../source/catalog-source.ts';
import { APP_DEFINITION_KIND, type GeneratedNames } from './app-definition-kind.ts';
import { APP_REVISION_KIND } from './app-revision-kind.ts';
import { CHART_ARCHIVE_KIND } from './uploaded-chart.ts';

/** A name of a generated kind by which `kubectl get` without a group already finds another kind. */
export interface ReservedName {
  /** Path below `spec`, for example `names.shortNames[0]`. */
  readonly field: string;
  readonly name: string;
  /** The other kind, for example `Pod of Kubernetes`. */
  readonly owner: string;
}

const OUR_KINDS: readonly Pick<StaticKind<unknown>, 'type' | 'shortNames'>[] = [
  APP_DEFINITION_KIND,
  APP_REVISION_KIND,
  CATALOG_RELEASE_KIND,
  CATALOG_SOURCE_KIND,
  CHANGE_REQUEST_KIND,
  CHART_ARCHIVE_KIND,
  ENVIRONMENT_KIND,
  GITLAB_DEPLOYMENT_KIND,
  GITLAB_MONITORING_KIND,
  OPERATOR_KIND,
  RESOURCE_COMPOSITION_KIND,
  SAVED_CONFIGURATION_KIND,
];

/** Kubernetes last: kubectl prefers its kinds where two have a name. */
const OWNERS: ReadonlyMap<string, string> = new Map([
  ...OUR_KINDS.flatMap(({ type: { kind, resource }, shortNames = [] }) =>
    namesOf({ kind, plural: resource, singular: kind.toLowerCase(), shortNames }).map((name) => [name, `${kind} of Chandlery`] as const),
  ),
  ...BUILT_IN_NAMES.flatMap((names) => namesOf(names).map((name) => [name, `${names.kind} of Kubernetes`] as const)),
]);

/** The names of a kind that kubectl resolves, in lower case, as it compares them. */
function namesOf({ kind, plural, singular, shortNames }: KubectlNames): readonly string[] {
  return [plural, singular, kind, ...shortNames].map((name) => name.toLowerCase());
}

/** The names of a generated kind that belong to a kind of Kubernetes or of Chandlery. */
export function reservedNames({ kind, plural, singular, shortNames }: GeneratedNames): readonly ReservedName[] {
  const given = [
    ['names.kind', kind],
    ['names.plural', plural],
    ['names.singular', singular],
    ...shortNames.map((name, index) => [`names.shortNames[${index}]`, name] as const),
  ] as const;
  return given.flatMap(([field, name]) => {
    const owner = OWNERS.get(name.toLowerCase());
    return owner === undefined ? [] : [{ field, name, owner }];
  });
}

/** Those that the kind has not had before: a kind that has a reserved name keeps it, since its instances would be lost with it. */
export function newlyReserved(reserved: readonly ReservedName[], earlier: readonly GeneratedNames[]): readonly ReservedName[] {
  const held = new Set(earlier.flatMap(namesOf));
  return reserved.filter(({ name }) => !held.has(name.toLowerCase()));
}

/** Message for a kind that is not generated, or not changed, because of its names. */
export function reservedNamesFault(reserved: readonly ReservedName[]): string {
  return `${sentenceOf(reserved)}; set spec.names to names that no kind of Kubernetes or Chandlery has`;
}

/** Message for a kind that was generated before its names were reserved. */
export function reservedNamesKept(reserved: readonly ReservedName[], crd: string): string {
  return `${sentenceOf(reserved)}. The kind and its instances stay: name it with its group, for example kubectl get ${crd}. To rename it, offer the chart by another AppDefinition with spec.names`;
}

function sentenceOf(reserved: readonly ReservedName[]): string {
  const named = reserved.map(({ field, name, owner }) => `spec.${field}: ${JSON.stringify(name)} is a name of ${owner}`);
  return listInShort(named, MAX_NAMED);
}

const MAX_NAMED = 4;
