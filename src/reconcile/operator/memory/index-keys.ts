import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import { OPERATOR_KIND } from '../../../domain/operator/kind/operator-kind.ts';
import { statusOf } from '../../../domain/kind/kind.ts';
import { calledBy, type CalledService } from '../../../domain/operator/called-services.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { claimedCrds, operatorLabelValue, parseOperatorSpec } from '../../../domain/operator/operator-spec.ts';
import { formerOperatorOf } from '../../../domain/operator/operator-move.ts';
import type { ReleaseRef } from '../../helm-release/ports.ts';

/*
 * Index keys of watched objects. An Operator has the keys of its release, label and CRDs, so a change of any of these finds the Operator, and its objects are
 * found without a scan of all others.
 */

export function releaseKey({ release, namespace }: ReleaseRef): string {
  return `release ${namespace}/${release}`;
}

export function labelKey(label: string): string {
  return `label ${label}`;
}

export function crdKey(name: string): string {
  return `definition ${name}`;
}

export function keysOfOperator(operator: KubeObject): readonly string[] {
  const { name, namespace = 'default' } = operator.metadata;
  const spec = parseOperatorSpec(operator);
  const { releaseName, targetNamespace } = spec;
  const definitions = new Set([...statusOf(OPERATOR_KIND, operator).customResourceDefinitions, ...claimedCrds(spec)]);
  const former = formerOperatorOf(operator);
  const labels = [{ namespace, name }, ...(former === undefined ? [] : [former])];
  const own = [
    ...labels.map((one) => labelKey(operatorLabelValue(one.namespace, one.name))),
    releaseKey({ release: releaseName, namespace: targetNamespace }),
  ];
  return [...own, ...[...definitions].map(crdKey)];
}

/** A CRD with a label is the labelled Operator's alone; that of a release may become its Operator's. */
export function keysOfCrd(crd: KubeObject): readonly string[] {
  const label = crd.metadata.labels?.[OURS.operatorLabel];
  return [crdKey(crd.metadata.name), ...(label === undefined ? keysOfReleased(crd) : [labelKey(label)]), ...servicesOf(crd)];
}

/** A record of Helm's: a Secret with the labels `owner=helm` and `name`. */
export function keysOfRecord({ metadata }: KubeObject): readonly string[] {
  const release = metadata.labels?.['name'];
  return release === undefined ? [] : [releaseKey({ release, namespace: metadata.namespace ?? 'default' })];
}

/** What Helm installed carries the release in its annotations. */
export function keysOfReleased({ metadata: { annotations = {} } }: KubeObject): readonly string[] {
  const release = annotations['meta.helm.sh/release-name'];
  const namespace = annotations['meta.helm.sh/release-namespace'];
  return release === undefined || namespace === undefined ? [] : [releaseKey({ release, namespace })];
}

/** Whether Helm installed an object with a release. */
export function isOfRelease(object: KubeObject, release: ReleaseRef): boolean {
  return keysOfReleased(object).includes(releaseKey(release));
}

/** The keys of a webhook configuration or APIService: of its release, and of the Services that the api-server calls for it. */
export function keysOfCaller(object: KubeObject): readonly string[] {
  return [...keysOfReleased(object), ...servicesOf(object)];
}

function servicesOf(object: KubeObject): readonly string[] {
  return calledBy(object).flatMap(({ service }) => (service === undefined ? [] : [serviceKey(service)]));
}

export function keysOfSlice({ metadata: { labels = {}, namespace = '' } }: KubeObject): readonly string[] {
  const name = labels['kubernetes.io/service-name'];
  return name === undefined ? [] : [serviceKey({ namespace, name })];
}

export function serviceKey({ namespace, name }: Pick<CalledService, 'namespace' | 'name'>): string {
  return `service ${namespace}/${name}`;
}

export function keysOfRole({ metadata }: KubeObject): readonly string[] {
  const label = metadata.labels?.[OURS.operatorLabel];
  return label === undefined ? [] : [labelKey(label)];
}
