import { isObject, listAt, objectAt, textAt } from '../core/read.ts';
import { formatQuantity, parseQuantity, type Nanos } from '../core/quantity.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import type { Amount, ContainerDemand, Demand } from './demand.ts';
import type { Finding } from './findings.ts';

/**
 * What the LimitRanges of a namespace will refuse when the operator makes pods and volumes: an estimate, because the operator may set other amounts
 * than the spec names.
 */
export function limitRangeFindings(ranges: readonly KubeObject[], demand: Demand): Finding[] {
  return ranges.flatMap((range) =>
    listAt(range.spec, 'limits').flatMap((rule) => {
      const limits: Limits = { rule, name: range.metadata.name };
      switch (textAt(rule, 'type')) {
        case 'Container':
          return demand.containers.flatMap((container) => onContainer(limits, container, 'a container'));
        case 'Pod':
          return demand.containers.flatMap((container) => onContainer(limits, container, 'a pod'));
        case 'PersistentVolumeClaim':
          return demand.claims.flatMap(({ size }) => onClaim(limits, size));
        case undefined:
        default:
          return [];
      }
    }),
  );
}

interface Limits {
  readonly rule: unknown;
  readonly name: string;
}

function onContainer(limits: Limits, container: ContainerDemand, what: string): Finding[] {
  const { resource, request, limit } = container;
  const [max, min, fallback] = [bound(limits, 'max', resource), bound(limits, 'min', resource), bound(limits, 'default', resource)];
  const largest = limit ?? request;
  const lines = [
    ...(max !== undefined && largest !== undefined && largest.value > max.value
      ? [refusal(limits, { amount: largest, resource, than: `above the limit of ${max.text} for ${what}` })]
      : []),
    ...(min !== undefined && request !== undefined && request.value < min.value && what === 'a container'
      ? [refusal(limits, { amount: request, resource, than: `below the minimum of ${min.text} for ${what}` })]
      : []),
    ...(fallback !== undefined && limit === undefined && request !== undefined && request.value > fallback.value
      ? [refusal(limits, { amount: request, resource, than: `above the default limit of ${fallback.text} for ${what}` })]
      : []),
  ];
  return [...lines, ...onRatio(limits, container)];
}

function onRatio(limits: Limits, { resource, request, limit }: ContainerDemand): Finding[] {
  const ratio = bound(limits, 'maxLimitRequestRatio', resource);
  if (ratio === undefined || request === undefined || limit === undefined || request.value === 0n) return [];
  if (limit.value * 1_000_000_000n <= ratio.value * request.value) return [];
  const than = `more than ${ratio.text} times the request of ${request.text}`;
  return [refusal(limits, { amount: limit, resource, than })];
}

function onClaim(limits: Limits, size: Amount): Finding[] {
  const [max, min] = [bound(limits, 'max', 'storage'), bound(limits, 'min', 'storage')];
  const refused = (than: string): Finding => ({
    message: `${size.field}: the volume will be rejected: storage ${size.text} is ${than} (LimitRange ${limits.name})`,
    about: 'LimitRange',
    evidence: 'estimate',
    field: size.field,
  });
  if (max !== undefined && size.value > max.value) return [refused(`above the limit of ${max.text} for a volume`)];
  return min !== undefined && size.value < min.value ? [refused(`below the minimum of ${min.text} for a volume`)] : [];
}

interface Refused {
  readonly amount: Amount;
  readonly resource: string;
  /** What is wrong with the amount, in a few words. */
  readonly than: string;
}

function refusal({ name }: Limits, { amount, resource, than }: Refused): Finding {
  return {
    message: `${amount.field}: pods will be rejected: ${resource} ${amount.text} is ${than} (LimitRange ${name})`,
    about: 'LimitRange',
    evidence: 'estimate',
    field: amount.field,
  };
}

/** A bound of a rule, as it was written. */
function bound({ rule }: Limits, which: string, resource: string): { readonly text: string; readonly value: Nanos } | undefined {
  const group = isObject(rule) ? objectAt(rule, which) : {};
  const found = Object.hasOwn(group, resource) ? group[resource] : undefined;
  const value = parseQuantity(found);
  return value === undefined ? undefined : { text: typeof found === 'string' ? found : formatQuantity(value, 'decimal'), value };
}
