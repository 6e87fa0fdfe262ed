import { isAppError } from '../core/errors.ts';
import { OURS } from '../kubernetes/names.ts';
import { keyOf, type KubeObject } from '../kubernetes/resource.ts';
import { type ChartSource, type OperatorSpec, parseOperatorSpec } from './operator-spec.ts';

/*
 * An Operator that is renamed, or gets another namespace, is two objects: the new one, whose annotation `chandlery.dev/moved-from` names the former one, and the
 * former one, which is being deleted. What stays the same is the Helm release, by which the two are one Operator.
 */

/** The former Operator of one that was renamed. */
export interface FormerOperator {
  readonly namespace: string;
  readonly name: string;
}

/** The former Operator by the annotation: `namespace/name`, or a name in the same namespace; undefined for an Operator that was not renamed. */
export function formerOperatorOf({ metadata }: Pick<KubeObject, 'metadata'>): FormerOperator | undefined {
  const { namespace: own = 'default', annotations = {} } = metadata;
  const [first = '', second] = (annotations[OURS.movedFrom] ?? '').split('/');
  const former = second === undefined ? { namespace: own, name: first } : { namespace: first, name: second };
  if (former.name === '' || former.namespace === '' || keyOfFormer(former) === `${own}/${metadata.name}`) return undefined;
  return former;
}

/** Its key, `namespace/name`. */
export function keyOfFormer({ namespace, name }: FormerOperator): string {
  return `${namespace}/${name}`;
}

/** Whether an Operator that stays takes over from the one with this key, `namespace/name`. */
export function succeedsOperator(operator: Pick<KubeObject, 'metadata'>, key: string): boolean {
  const former = formerOperatorOf(operator);
  return operator.metadata.deletionTimestamp === undefined && former !== undefined && keyOfFormer(former) === key;
}

/** The keys of the Operators that have to do with a renamed one: its former one, and those that take over from it. */
export function operatorsMovedWith(operators: readonly KubeObject[], key: string): string[] {
  return operators.flatMap((operator) => {
    const former = formerOperatorOf(operator);
    if (former === undefined) return [];
    if (keyOf(operator) === key) return [keyOfFormer(former)];
    return keyOfFormer(former) === key ? [keyOf(operator)] : [];
  });
}

/** The Helm release of an Operator, as `namespace/name`; undefined for a spec that cannot be read. */
export function releaseOfOperator(operator: KubeObject): string | undefined {
  const spec = readSpec(operator);
  return spec && releaseKey(spec);
}

function releaseKey({ targetNamespace, releaseName }: OperatorSpec): string {
  return `${targetNamespace}/${releaseName}`;
}

/** Why the Helm release of an Operator cannot become the one of another, with the fields that make it possible; undefined when the two name the same one. */
export function releaseDifference(former: KubeObject, successor: KubeObject): string | undefined {
  const [before, after] = [readSpec(former), readSpec(successor)];
  if (before === undefined || after === undefined) return undefined;
  const fields = [
    ...(before.releaseName === after.releaseName ? [] : [`spec.releaseName to ${JSON.stringify(before.releaseName)}`]),
    ...(before.targetNamespace === after.targetNamespace ? [] : [`spec.targetNamespace to ${JSON.stringify(before.targetNamespace)}`]),
  ];
  if (fields.length === 0) return undefined;
  return `Helm cannot move the release ${releaseKey(before)} to ${releaseKey(after)}; set ${fields.join(' and ')}`;
}

/** Whether two Operators install the same chart, in whatever version. */
export function hasSameChart(one: KubeObject, other: KubeObject): boolean {
  const [first, second] = [readSpec(one), readSpec(other)];
  return first !== undefined && second !== undefined && chartKey(first.chart) === chartKey(second.chart);
}

function chartKey(chart: ChartSource): string {
  return chart.kind === 'url' ? chart.url : `${chart.repoURL} ${chart.name}`;
}

function readSpec(operator: KubeObject): OperatorSpec | undefined {
  try {
    return parseOperatorSpec(operator);
  } catch (error) {
    if (isAppError(error, 'InvalidInput')) return undefined;
    throw error;
  }
}
