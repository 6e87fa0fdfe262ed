import { blocksUpgrade } from '../crd-safety/stored-checks.ts';
import type { MissingPermission } from '../../core/errors.ts';
import type {
  PreviewedCrd,
  PreviewedCrds,
  PreviewedFields,
  PreviewedInstances,
  PreviewedValues,
  UpgradeVerdict,
} from './upgrade-preview.ts';

export interface PreviewCheckInput {
  readonly crds: PreviewedCrds;
  readonly fields: PreviewedFields;
  readonly instances: PreviewedInstances;
  readonly values: PreviewedValues;
  /** What stops it before anything is compared: it does not render, a legacy object cannot be carried over, values cannot be read. */
  readonly faults: readonly string[];
}

/** The one word about an upgrade, what would stop it, and what was not looked at. */
export function checkPreview({ crds, fields, instances, values, faults }: PreviewCheckInput): UpgradeVerdict {
  const unsafe = crds.items.filter((definition) => blocksUpgrade(definition, crds.safety));
  const rejected = crds.items.flatMap(({ crd, rejection }) => (rejection === undefined ? [] : [`${crd}: ${rejection}`]));
  const blockers = [
    ...faults,
    ...unsafe.map((definition) => unsafeSentence(definition, crds.safety)),
    ...rejected,
    ...fields.rejections.map(({ object, message, recreate }) =>
      recreate ? `${object} would have to be deleted and recreated: ${message}` : `${object} would be rejected: ${message}`,
    ),
  ];
  const unchecked = [
    ...uncheckedSentences('Existing instances were not validated against the new CRDs', crds.missing),
    ...uncheckedSentences('Some objects had no dry run', fields.missing),
    ...uncheckedSentences('Some values could not be read', values.missing),
    ...uncheckedSentences('Some instances could not be counted', instances.missing),
    ...instances.unavailable.map(({ kind, message }) => `The instances of ${kind} could not be counted: ${message}`),
  ];
  const word = blockers.length > 0 ? 'Blocked' : unchecked.length > 0 ? 'Incomplete' : 'Safe';
  return { kind: word, blockers, unchecked };
}

/** `get secrets in the namespace a`, `list caches.samples.chandlery.dev` */
export function permissionText({ verb, group, resource, namespace }: MissingPermission): string {
  return `${verb} ${group === '' ? resource : `${resource}.${group}`}${namespace === undefined ? '' : ` in the namespace ${namespace}`}`;
}

function unsafeSentence({ crd, findings, faultCount }: PreviewedCrd, safety: PreviewedCrds['safety']): string {
  const unsafe = findings.filter((finding) => blocksUpgrade({ findings: [finding], faults: [] }, safety)).length;
  const parts = [
    ...(unsafe === 0 ? [] : [`it has ${unsafe === 1 ? '1 breaking change' : `${unsafe} breaking changes`}`]),
    ...(faultCount === 0 ? [] : [`${faultCount === 1 ? '1 existing instance' : `${faultCount} existing instances`} would be invalid`]),
  ];
  return `The new CRD ${crd} is unsafe: ${parts.join(', and ')}`;
}

function uncheckedSentences(what: string, missing: readonly MissingPermission[]): string[] {
  if (missing.length === 0) return [];
  const permissions = [...new Set(missing.map(permissionText))];
  const more = permissions.length > 5 ? ` and ${permissions.length - 5} more` : '';
  return [`${what}: you lack the permission to ${permissions.slice(0, 5).join(', ')}${more}`];
}
