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
import { draftPublication, type DraftPublication } from './draft-publication.ts';
import { findCondition } from '../kubernetes/condition.ts';
import { conditionsOf } from '../health/rules/conditions.ts';
import { isKubernetesGroup } from '../kubernetes/built-in-groups.ts';
import { isReservedCrd } from '../kubernetes/reserved-objects.ts';
import { textAt } from '../core/read.ts';
import { OURS } from '../kubernetes/names.ts';
import { operatorLabelValue } from '../operator/operator-spec.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

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
  /** CatalogSources, for the files of Operators. */
  readonly sources: readonly KubeObject[];
}

/** The drafts by name; with an Operator only those that probably belong to it. */
export function draftKinds(
  { operators, crds, sources }: DraftSources,
  operator?: { readonly namespace: string; readonly name: string },
): DraftKind[] {
  const candidates = draftCandidates(operators, crds);
  return draftCrds(operators, crds)
    .map((crd) => ({ crd, likely: likelyOperator(crd, candidates) }))
    .filter(
      ({ likely }) =>
        operator === undefined || (likely?.candidate.name === operator.name && likely.candidate.namespace === operator.namespace),
    )
    .map(({ crd, likely }) => draftOf({ crd, likely, candidates, sources }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** The CRDs of drafts. What is Chandlery's or Kubernetes' own is none, nor is what an Operator has, hidden or not. */
export function draftCrds(operators: readonly KubeObject[], crds: readonly KubeObject[]): KubeObject[] {
  const labels = new Set(operators.map(({ metadata: { namespace = 'default', name } }) => operatorLabelValue(namespace, name)));
  return crds.filter((crd) => isDraft(crd) && !labels.has(crd.metadata.labels?.[OURS.operatorLabel] ?? ''));
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
    established: findCondition(conditionsOf(crd), 'Established')?.status === 'True',
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
