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
  const refused = definitions.definitions.flatMap(({ crd, refusal }) => (refusal === undefined ? [] : [`${crd}: ${refusal}`]));
  const stops = [
    ...faults,
    ...unsafe.map((definition) => unsafeSentence(definition, definitions.safety)),
    ...refused,
    ...fields.refusals.map(({ object, why, recreate }) =>
      recreate ? `${object} would have to be deleted and made anew: ${why}` : `${object} would be refused: ${why}`,
    ),
  ];
  const unchecked = [
    ...uncheckedSentences('Stored instances were not checked against the new definitions', definitions.missing),
    ...uncheckedSentences('Whether the api-server takes every object was not asked', fields.missing),
    ...uncheckedSentences('Values were not all read', values.missing),
    ...uncheckedSentences('Instances were not all counted', instances.missing),
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
    ...(unsafe === 0 ? [] : [`it takes ${unsafe === 1 ? 'something' : `${unsafe} things`} away`]),
    ...(faultCount === 0 ? [] : [`${faultCount === 1 ? '1 stored instance' : `${faultCount} stored instances`} would not fit`]),
  ];
  return `The new definition of ${crd} is not safe: ${parts.join(', and ')}`;
}

function uncheckedSentences(what: string, missing: readonly MissingRight[]): string[] {
  if (missing.length === 0) return [];
  const rights = [...new Set(missing.map(permissionText))];
  const more = rights.length > 5 ? ` and ${rights.length - 5} more` : '';
  return [`${what}: you lack the right to ${rights.slice(0, 5).join(', ')}${more}`];
}
