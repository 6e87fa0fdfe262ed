import { claimedCrds, operatorLabelValue, parseOperatorSpec, type OperatorSpec } from '../operator/operator-spec.ts';
import { FORMER_OPERATOR, isLabelledFor } from '../operator/crd-owner.ts';
import { listAt, textAt } from '../core/read.ts';
import { OURS } from '../kubernetes/names.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** Who brought a CRD, as far as the CRD says so. Operators and releases are named `namespace/name`; a release by its labels alone has no namespace. */
export type DraftOrigin =
  { readonly kind: 'Operator' | 'HelmRelease' | 'FieldManager'; readonly name: string } | { readonly kind: 'Unknown' };

/** Why a draft probably belongs to an Operator, the strongest first. */
export const DRAFT_EVIDENCE = ['Claim', 'FormerOperator', 'Release', 'Labels', 'FieldManager', 'Group'] as const;
export type DraftEvidence = (typeof DRAFT_EVIDENCE)[number];

/** An Operator that may have brought a draft. */
export interface DraftCandidate {
  readonly operator: KubeObject;
  readonly namespace: string;
  readonly name: string;
  readonly label: string;
  readonly spec: OperatorSpec;
  /** The CRDs that it claims. */
  readonly claims: ReadonlySet<string>;
  /** The API groups of the CRDs that it has. */
  readonly groups: ReadonlySet<string>;
}

/** The Operators that drafts may belong to. */
export function draftCandidates(operators: readonly KubeObject[], crds: readonly KubeObject[]): DraftCandidate[] {
  const byLabel = Map.groupBy(crds, ({ metadata }) => metadata.labels?.[OURS.operatorLabel]);
  return operators.map((operator) => {
    const { namespace = 'default', name } = operator.metadata;
    const label = operatorLabelValue(namespace, name);
    const spec = parseOperatorSpec(operator);
    const groups = new Set(byLabel.get(label)?.map((crd) => textAt(crd.spec, 'group') ?? ''));
    return { operator, namespace, name, label, spec, claims: new Set(claimedCrds(spec)), groups };
  });
}

/** An Operator that a draft probably belongs to. */
export interface LikelyOperator {
  readonly candidate: DraftCandidate;
  readonly evidence: DraftEvidence;
}

/** Where several Operators fit, weaker evidence decides among them. What is marked as somebody's belongs to nobody else by weak evidence. */
export function likelyOperator(crd: KubeObject, candidates: readonly DraftCandidate[]): LikelyOperator | undefined {
  const evidence = markedOwner(crd) === undefined ? DRAFT_EVIDENCE : DRAFT_EVIDENCE.slice(0, DRAFT_EVIDENCE.indexOf('Labels'));
  const hints = { crd, release: releaseByLabels(crd), managers: new Set(managersOf(crd)), group: textAt(crd.spec, 'group') ?? '' };
  let remaining = candidates;
  for (const one of evidence) {
    const found = remaining.filter((candidate) => MATCHES[one](hints, candidate));
    const [first] = found;
    if (first !== undefined && found.length === 1) return { candidate: first, evidence: one };
    if (found.length > 1) remaining = found;
  }
  return undefined;
}

/** What in a CRD hints at its Operator. */
interface Hints {
  readonly crd: KubeObject;
  readonly release: string | undefined;
  readonly managers: ReadonlySet<string>;
  readonly group: string;
}

const MATCHES: Readonly<Record<DraftEvidence, (hints: Hints, candidate: DraftCandidate) => boolean>> = {
  Claim: ({ crd }, { claims }) => claims.has(crd.metadata.name),
  FormerOperator: ({ crd }, { label }) => crd.metadata.annotations?.[FORMER_OPERATOR] === label,
  Release: ({ crd }, { label, spec }) =>
    isLabelledFor(crd, { label, release: { release: spec.releaseName, namespace: spec.targetNamespace } }),
  Labels: ({ release }, { spec }) => release === spec.releaseName,
  FieldManager: ({ managers }, { name, spec }) =>
    managers.has(name) || managers.has(spec.releaseName) || (spec.chart.kind === 'repository' && managers.has(spec.chart.name)),
  Group: ({ group }, { groups }) => groups.has(group),
};

/** Who brought a draft. */
export function originOf(crd: KubeObject, likely: LikelyOperator | undefined): DraftOrigin {
  const marked = markedOwner(crd);
  if (marked !== undefined) return marked;
  if (likely?.evidence === 'Claim' || likely?.evidence === 'FormerOperator') {
    return { kind: 'Operator', name: `${likely.candidate.namespace}/${likely.candidate.name}` };
  }
  const release = releaseByLabels(crd);
  if (release !== undefined) return { kind: 'HelmRelease', name: release };
  const [manager] = managersOf(crd);
  return manager === undefined ? { kind: 'Unknown' } : { kind: 'FieldManager', name: manager };
}

/** The Operator, gone by now, or the release that a CRD is marked as belonging to: nobody else can claim it. */
function markedOwner({ metadata: { labels = {}, annotations = {} } }: KubeObject): Extract<DraftOrigin, { name: string }> | undefined {
  const operator = labels[OURS.operatorLabel];
  if (operator !== undefined) return { kind: 'Operator', name: operator.replace('.', '/') };
  const release = annotations['meta.helm.sh/release-name'];
  if (release === undefined) return undefined;
  return { kind: 'HelmRelease', name: `${annotations['meta.helm.sh/release-namespace'] ?? ''}/${release}` };
}

/** A hint only: the label names a release without its namespace, and other tools set it too. */
function releaseByLabels({ metadata: { labels = {} } }: KubeObject): string | undefined {
  return labels['app.kubernetes.io/instance'] ?? labels['release'];
}

/** Who wrote the spec. */
function managersOf({ metadata }: KubeObject): string[] {
  return listAt(metadata, 'managedFields').flatMap((entry) =>
    textAt(entry, 'subresource') === undefined ? [textAt(entry, 'manager') ?? ''] : [],
  );
}
