import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { immutableChanges } from '../../domain/upgrade/preview/immutable-fields.ts';
import { isChanged, pairObjects, type ObjectPair } from '../../domain/upgrade/preview/object-changes.ts';
import type { FieldRejection, PreviewedFields } from '../../domain/upgrade/preview/upgrade-preview.ts';
import { redact } from '../../domain/core/secret.ts';
import type { CheckedObjects } from '../preflight/check-objects.ts';
import { isHook } from '../operator/helm-ownership.ts';
import type { DryRunObject } from '../preflight/dry-run-objects.ts';

interface FieldsInput {
  readonly from: readonly KubeObject[];
  readonly to: readonly KubeObject[];
  readonly namespace: string;
  readonly secrets: readonly string[];
  readonly checked: CheckedObjects;
}

/** The words of the api-server for what only a new object can have. */
const IMMUTABLE =
  /immutable|may not change|cannot be changed|cannot change|updates to .* spec .*are forbidden|updates to .* for fields other than/i;

/** What the api-server rejected of the objects of a chart. Where it was not asked about one that changes, what is known of its kind answers. */
export function immutableFields(input: FieldsInput): Omit<PreviewedFields, 'missing'> {
  const { checked } = input;
  const asked = checked.tried.filter(({ outcome }) => outcome.kind !== 'untried');
  const known = new Set(asked.map(({ object }) => object));
  const pairs = pairObjects(input).filter(
    ({ to, ...rest }) => to !== undefined && isChanged({ to, ...rest }) && !isHook(to) && !known.has(to),
  );
  return { rejections: [...asked.flatMap(rejectionsOf), ...pairs.flatMap((pair) => rulesOn(pair, input))], checked: asked.length };
}

function rejectionsOf({ name, outcome }: DryRunObject): FieldRejection[] {
  if (outcome.kind !== 'rejected') return [];
  return outcome.faults.map(({ field = '', message }) => ({
    object: name,
    field,
    message: message,
    recreate: IMMUTABLE.test(message),
    source: 'DryRun',
  }));
}

function rulesOn({ from, to }: ObjectPair, { namespace, secrets }: FieldsInput): FieldRejection[] {
  if (from === undefined || to === undefined) return [];
  const { kind, metadata } = to;
  const object = redact(`${kind} ${metadata.namespace ?? namespace}/${metadata.name}`, secrets);
  return immutableChanges(from, to).map((field) => {
    return { object, field, message: `${field} changes, which the api-server never allows`, recreate: true, source: 'Rule' };
  });
}
