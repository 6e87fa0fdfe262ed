import { stringify } from 'yaml';
import { CATALOG_SOURCE_KIND } from '../source/catalog-source.ts';
import { publishedCrds } from '../app-definition/published-crds.ts';
import { statusOf } from '../kind/kind.ts';
import { versionForNew, versionsOf } from './app-catalog.ts';
import {
  type DraftCandidate,
  draftCandidates,
  type DraftEvidence,
  type DraftOrigin,
  type LikelyOperator,
  likelyOperator,
  originOf,
} from './draft-owner.ts';
import { isObject, listAt, textAt } from '../core/read.ts';
import { APP_DEFINITION, isKubernetesGroup } from '../kubernetes/resource-types.ts';
import { isConditionTrue } from '../kubernetes/condition.ts';
import { OURS } from '../kubernetes/names.ts';
import { isReservedCrd } from '../kubernetes/reserved-objects.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { operatorLabelValue } from '../operator/operator-spec.ts';

/** How an admin publishes a draft. */
interface DraftPublication {
  /**
   * `Claim`: the YAML is an entry for an existing Operator. `Adopt`: it is a whole Operator, whose chart has to be filled in. `Publish`: it is an AppDefinition without
   * a chart.
   */
  readonly kind: 'Claim' | 'Adopt' | 'Publish';
  /** Sentences. */
  readonly instructions: string;
  /** Relative to the catalogue's folder; absent for an Operator that no CatalogSource keeps. */
  readonly file?: string;
  readonly yaml: string;
}

interface PublicationInput {
  readonly crd: {
    readonly name: string;
    readonly kind: string;
    readonly group: string;
    readonly scope: 'Namespaced' | 'Cluster';
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly origin: DraftOrigin;
  readonly likely: LikelyOperator | undefined;
  readonly candidates: readonly DraftCandidate[];
  readonly sources: readonly KubeObject[];
}

const CLUSTER_SCOPED = 'The kind is cluster-scoped: the Operator owns it then, but it does not become an app.';

interface Place {
  readonly namespace: string;
  readonly name: string;
  readonly releaseName?: string;
  readonly targetNamespace?: string;
}

/** A kind that the api-server serves and that no Operator publishes. */
export interface DraftKind {
  /** Of the CRD: `<plural>.<group>`. */
  readonly name: string;
  readonly kind: string;
  readonly group: string;
  readonly scope: 'Namespaced' | 'Cluster';
  /** The served ones. */
  readonly versions: readonly string[];
  readonly established: boolean;
  /** RFC 3339; empty when unknown. */
  readonly created: string;
  readonly origin: DraftOrigin;
  /** Absent when none or more than one comes into question. */
  readonly operator?: { readonly namespace: string; readonly name: string; readonly evidence: DraftEvidence };
  readonly publication: DraftPublication;
}

export interface DraftSources {
  readonly operators: readonly KubeObject[];
  readonly crds: readonly KubeObject[];
  readonly definitions: readonly KubeObject[];
  /** CatalogSources, for the files of Operators. */
  readonly sources: readonly KubeObject[];
}

/** The drafts by name; with an Operator only those that probably belong to it. */
export function draftKinds(
  { operators, crds, definitions, sources }: DraftSources,
  operator?: { readonly namespace: string; readonly name: string },
): DraftKind[] {
  const candidates = draftCandidates(operators, crds);
  return draftCrds({ operators, crds, definitions })
    .map((crd) => ({ crd, likely: likelyOperator(crd, candidates) }))
    .filter(
      ({ likely }) =>
        operator === undefined || (likely?.candidate.name === operator.name && likely.candidate.namespace === operator.namespace),
    )
    .map(({ crd, likely }) => draftOf({ crd, likely, candidates, sources }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** The CRDs of drafts. What is Chandlery's or Kubernetes' own is none, nor is what an Operator has, hidden or not. */
export function draftCrds({ operators, crds, definitions }: Omit<DraftSources, 'sources'>): KubeObject[] {
  const published = publishedCrds(definitions, crds);
  const labels = new Set(operators.map(({ metadata: { namespace = 'default', name } }) => operatorLabelValue(namespace, name)));
  const free = crds.filter(({ metadata }) => !published.has(metadata.name));
  return free.filter((crd) => isDraft(crd) && !labels.has(crd.metadata.labels?.[OURS.operatorLabel] ?? ''));
}

function isDraft(crd: KubeObject): boolean {
  const isOwn = isReservedCrd(crd) || isKubernetesGroup(textAt(crd.spec, 'group') ?? '');
  return !isOwn && crd.metadata.deletionTimestamp === undefined && versionForNew(crd) !== undefined;
}

interface DraftInput {
  readonly crd: KubeObject;
  readonly likely: LikelyOperator | undefined;
  readonly candidates: readonly DraftCandidate[];
  readonly sources: readonly KubeObject[];
}

function draftOf({ crd, likely, candidates, sources }: DraftInput): DraftKind {
  const { name, creationTimestamp = '' } = crd.metadata;
  const [kind = '', group = ''] = [textAt(crd.spec, 'names', 'kind'), textAt(crd.spec, 'group')];
  const scope = textAt(crd.spec, 'scope') === 'Cluster' ? 'Cluster' : 'Namespaced';
  const origin = originOf(crd, likely);
  return {
    name,
    kind,
    group,
    scope,
    versions: versionsOf(crd).flatMap((version) => (version.served ? [version.name] : [])),
    established: isConditionTrue(crd, 'Established'),
    created: creationTimestamp,
    origin,
    ...(likely === undefined
      ? {}
      : { operator: { namespace: likely.candidate.namespace, name: likely.candidate.name, evidence: likely.evidence } }),
    publication: draftPublication({
      crd: { name, kind, group, scope, labels: crd.metadata.labels ?? {} },
      origin,
      likely,
      candidates,
      sources,
    }),
  };
}

/** What an admin writes, and where, so that a draft becomes an app. */
function draftPublication(input: PublicationInput): DraftPublication {
  const found = input.likely === undefined ? publicationWithout(input) : claim(input, input.likely);
  return input.crd.scope === 'Cluster' ? { ...found, instructions: `${found.instructions} ${CLUSTER_SCOPED}` } : found;
}

/** What a Helm release brought, an Operator adopts with its chart; anything else needs no chart to be an app. */
function publicationWithout(input: PublicationInput): DraftPublication {
  const { crd, origin } = input;
  if (origin.kind === 'HelmRelease' || origin.kind === 'Operator' || crd.scope === 'Cluster') return adoption(input);
  const name = crd.name.replaceAll('.', '-').slice(0, 63).replace(/-+$/, '');
  const definition = {
    apiVersion: `${APP_DEFINITION.group}/${APP_DEFINITION.version}`,
    kind: APP_DEFINITION.kind,
    metadata: { name },
    spec: { crds: { names: [crd.name] }, catalog: { category: 'Other' } },
  };
  const file = `apps/${name}.yaml`;
  const instructions = `No Operator owns the CRD. Save this AppDefinition as ${file} in the catalogue: it publishes the kind as it is, for all roles. If a Helm chart brought the CRD, an Operator with spec.adopt can manage it as well.`;
  return { kind: 'Publish', instructions, file, yaml: yamlOf(definition) };
}

function claim({ crd, sources }: PublicationInput, { candidate, evidence }: LikelyOperator): DraftPublication {
  const { operator, namespace, name, spec } = candidate;
  const file = fileOf(operator, sources);
  const place = file === undefined ? `with kubectl edit kop ${name} --namespace ${namespace}` : `in the file ${file} of the catalogue`;
  const entry = entryOf(operator, crd);
  const suspended = spec.suspend ? ' The Operator is suspended: resume it first.' : '';
  const instructions =
    evidence === 'Claim'
      ? `The Operator ${namespace}/${name} claims the CRD but does not have it yet. Its condition CRDsEstablished says why.`
      : `${entry === undefined ? 'Add this entry to' : `Put this in place of the entry of ${crd.kind} in`} spec.catalog.kinds of the Operator ${namespace}/${name}, ${place}.`;
  const yaml = yamlOf({ spec: { catalog: { kinds: [{ kind: crd.kind, definition: crd.name, ...entry }] } } });
  return { kind: 'Claim', instructions: instructions + suspended, ...(file === undefined ? {} : { file }), yaml };
}

/** What the Operator says of the kind already, unless it means another CRD by it. */
function entryOf({ spec }: KubeObject, { kind, name }: PublicationInput['crd']): object | undefined {
  const found = listAt(spec, 'catalog', 'kinds').find(
    (entry) => textAt(entry, 'kind') === kind && (textAt(entry, 'definition') ?? name) === name,
  );
  return isObject(found) ? found : undefined;
}

function fileOf(
  { metadata: { namespace = 'default', name, labels = {} } }: KubeObject,
  sources: readonly KubeObject[],
): string | undefined {
  const source = sources.find((one) => one.metadata.name === labels[OURS.sourceLabel]);
  const { inventory } = source === undefined ? { inventory: [] } : statusOf(CATALOG_SOURCE_KIND, source);
  return inventory.find((one) => one.kind === 'Operator' && one.namespace === namespace && one.name === name)?.file;
}

function adoption({ crd, origin, candidates }: PublicationInput): DraftPublication {
  const { namespace, name, ...release } = placeOf({ crd, origin, candidates });
  const chart = chartOf(crd.labels['helm.sh/chart'] ?? '', name);
  const operator = {
    apiVersion: `${OURS.operatorGroup}/${OURS.operatorVersion}`,
    kind: 'Operator',
    metadata: { namespace, name },
    spec: { chart, ...release, adopt: true, catalog: { kinds: [{ kind: crd.kind, definition: crd.name }] } },
  };
  const file = `operators/${name}.yaml`;
  return {
    kind: 'Adopt',
    instructions: `No Operator owns the CRD. Save this Operator as ${file} in the catalogue, with the repository and version of its chart. spec.adopt adopts the release and the CRD with all instances.`,
    file,
    yaml: `# Replace repoURL and version by those of the chart with ${crd.kind}.\n${yamlOf(operator)}`,
  };
}

/** Never the name of an Operator that exists, which the file would change. */
function placeOf({ crd, origin, candidates }: Pick<PublicationInput, 'crd' | 'origin' | 'candidates'>): Place {
  const { systemNamespace } = OURS;
  const [before = '', after] = origin.kind === 'Unknown' ? [] : origin.name.split('/');
  if (origin.kind === 'Operator' && after !== undefined) return { namespace: before, name: after };
  const taken = new Set(candidates.flatMap(({ namespace, name }) => (namespace === systemNamespace ? [name] : [])));
  const base = origin.kind === 'HelmRelease' ? (after ?? before) : (crd.group.split('.')[0] ?? crd.kind.toLowerCase());
  const names = [base, ...Array.from({ length: taken.size }, (_, index) => `${base}-${index + 2}`)];
  const name = names.find((one) => !taken.has(one)) ?? base;
  if (origin.kind !== 'HelmRelease') return { namespace: systemNamespace, name };
  return { namespace: systemNamespace, name, releaseName: after ?? before, ...(after === undefined ? {} : { targetNamespace: before }) };
}

/** Helm's label of a chart is `<name>-<version>`. */
function chartOf(label: string, fallback: string): object {
  const { name, version } = /^(?<name>.+?)-(?<version>v?\d+\.\d+\.\d+.*)$/.exec(label)?.groups ?? {};
  return { repoURL: 'https://charts.example.com', name: name ?? fallback, version: (version ?? '1.0.0').replaceAll('_', '+') };
}

function yamlOf(object: object): string {
  return stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 });
}
