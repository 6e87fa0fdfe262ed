import { stopsUpgrade } from '../crd-safety/judge-upgrade.ts';
import type { MissingRight } from '../../core/errors.ts';
import type {
  PreviewedCrd,
  PreviewedCrds,
  PreviewedFields,
  PreviewedInstances,
  PreviewedValues,
  UpgradeVerdict,
} from './upgrade-preview.ts';

export interface JudgeInput {
  readonly definitions: PreviewedCrds;
  readonly fields: PreviewedFields;
  readonly instances: PreviewedInstances;
  readonly values: PreviewedValues;
  /** What stops it before anything is compared: it does not render, a legacy object cannot be carried over, values cannot be read. */
  readonly faults: readonly string[];
}

/** The one word about an upgrade, what would stop it, and what was not looked at. */
export function judgePreview({ definitions, fields, instances, values, faults }: JudgeInput): UpgradeVerdict {
  const unsafe = definitions.definitions.filter((definition) => stopsUpgrade(definition, definitions.safety));
  const rejected = definitions.definitions.flatMap(({ crd, rejection }) => (rejection === undefined ? [] : [`${crd}: ${rejection}`]));
  const stops = [
    ...faults,
    ...unsafe.map((definition) => unsafeSentence(definition, definitions.safety)),
    ...rejected,
    ...fields.rejections.map(({ object, why, recreate }) =>
      recreate ? `${object} would have to be deleted and recreated: ${why}` : `${object} would be rejected: ${why}`,
    ),
  ];
  const unchecked = [
    ...uncheckedSentences('Existing instances were not validated against the new CRDs', definitions.missing),
    ...uncheckedSentences('Some objects had no dry run', fields.missing),
    ...uncheckedSentences('Some values could not be read', values.missing),
    ...uncheckedSentences('Some instances could not be counted', instances.missing),
  ];
  const word = stops.length > 0 ? 'Stopped' : unchecked.length > 0 ? 'Unsure' : 'Safe';
  return { kind: word, stops, unchecked };
}

/** `get secrets in the namespace a`, `list caches.samples.chandlery.dev` */
export function permissionText({ verb, group, resource, namespace }: MissingRight): string {
  return `${verb} ${group === '' ? resource : `${resource}.${group}`}${namespace === undefined ? '' : ` in the namespace ${namespace}`}`;
}

function unsafeSentence({ crd, findings, faultCount }: PreviewedCrd, safety: PreviewedCrds['safety']): string {
  const unsafe = findings.filter((finding) => stopsUpgrade({ findings: [finding], faults: [] }, safety)).length;
  const parts = [
    ...(unsafe === 0 ? [] : [`it has ${unsafe === 1 ? '1 breaking change' : `${unsafe} breaking changes`}`]),
    ...(faultCount === 0 ? [] : [`${faultCount === 1 ? '1 existing instance' : `${faultCount} existing instances`} would be invalid`]),
  ];
  return `The new CRD ${crd} is unsafe: ${parts.join(', and ')}`;
}

function uncheckedSentences(what: string, missing: readonly MissingRight[]): string[] {
  if (missing.length === 0) return [];
  const rights = [...new Set(missing.map(permissionText))];
  const more = rights.length > 5 ? ` and ${rights.length - 5} more` : '';
  return [`${what}: you lack the permission to ${rights.slice(0, 5).join(', ')}${more}`];
}
