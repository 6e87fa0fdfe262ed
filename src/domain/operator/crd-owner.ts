import { OURS } from '../kubernetes/names.ts';
import { operatorLabelValue, type OperatorSpec } from './operator-spec.ts';
import type { OperatorStatus } from './operator-status.ts';
import { isReservedCrd } from '../kubernetes/reserved-objects.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** Annotation on a CRD that an Operator left behind when it went: the value of its label, so that it takes the CRD back when it is made again. */
export const FORMER_OPERATOR = `${OURS.group}/former-operator`;

/** Who asks for a CRD. */
export interface CrdClaimant {
  /** The value of the Operator's label. */
  readonly label: string;
  readonly release: { readonly release: string; readonly namespace: string };
  /** Whether `spec.adopt` asks for what nobody owns. */
  readonly adopt: boolean;
  /** The CRDs that were seen as this Operator's own. */
  readonly known: ReadonlySet<string>;
}

/** An Operator as the one who asks. */
export function crdClaimant(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { releaseName, targetNamespace, adopt }: Pick<OperatorSpec, 'releaseName' | 'targetNamespace' | 'adopt'>,
  { crds }: Pick<OperatorStatus, 'crds'>,
): CrdClaimant {
  const known = new Set(crds.filter(({ established }) => established).map((crd) => crd.name));
  return { label: operatorLabelValue(namespace, name), release: { release: releaseName, namespace: targetNamespace }, adopt, known };
}

/** Whether a CRD belongs to an Operator. Chandlery's own CRDs belong to none. */
export function belongsToOperator(crd: KubeObject, claimant: Pick<CrdClaimant, 'label' | 'release'>): boolean {
  return !isReservedCrd(crd) && isLabelledFor(crd, claimant);
}

/** Whose CRD it says it is: by our label, or, when it has none, by the annotations that Helm and operators put on what belongs to a release. */
export function isLabelledFor(
  crd: KubeObject,
  { label, release: { release, namespace } }: Pick<CrdClaimant, 'label' | 'release'>,
): boolean {
  const { labels = {}, annotations = {} } = crd.metadata;
  const owner = labels[OURS.operatorLabel];
  if (owner !== undefined) return owner === label;
  return annotations['meta.helm.sh/release-name'] === release && annotations['meta.helm.sh/release-namespace'] === namespace;
}

/** The owner of a CRD, as a clause; undefined when the CRD names none. */
export function crdOwner(crd: KubeObject): string | undefined {
  if (isReservedCrd(crd)) return 'Chandlery itself';
  const { labels = {}, annotations = {} } = crd.metadata;
  const operator = labels[OURS.operatorLabel];
  if (operator !== undefined) return `the Operator "${operator.replace('.', '/')}"`;
  const release = annotations['meta.helm.sh/release-name'];
  return release === undefined ? undefined : `the Helm release "${annotations['meta.helm.sh/release-namespace'] ?? ''}/${release}"`;
}

/** Why an Operator may not apply a CRD that is there, as a clause; undefined when it may. */
export function crdConflict(live: KubeObject, claimant: CrdClaimant): string | undefined {
  const { name, labels = {}, annotations = {} } = live.metadata;
  if (belongsToOperator(live, claimant)) return undefined;
  const owner = crdOwner(live);
  if (owner !== undefined) {
    const remedy = labels[OURS.operatorLabel] === undefined ? 'uninstall that one first' : 'remove one of the two';
    return `${owner} owns it; ${remedy}`;
  }
  if (claimant.adopt || claimant.known.has(name) || annotations[FORMER_OPERATOR] === claimant.label) return undefined;
  return 'its CRD exists and no Operator owns it; set spec.adopt to adopt it with all its instances, or delete it first';
}
