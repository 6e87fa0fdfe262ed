import type { FieldFault } from '../domain/errors.ts';
import type { FormModel } from '../schema/form-node.ts';
import { freezeNodes } from '../schema/freeze-nodes.ts';
import { locateFaults } from './form/locate-faults.ts';

const IMMUTABLE = /\bimmutable\b|(?:may not|cannot|can't) (?:be )?change/i;

export interface FrozenByFaults {
  readonly model: FormModel;
  /** The paths of the fields that became frozen. */
  readonly frozen: readonly string[];
  readonly faults: readonly FieldFault[];
}

/**
 * What the dry run of the api-server says cannot be changed, by a rule that the schema does not tell or that is not CEL. Such a field shows its live
 * value again for as long as the form is open, and says why.
 */
export function frozenByFaults(model: FormModel, fields: URLSearchParams, faults: readonly FieldFault[]): FrozenByFaults {
  const judged = faults.map((fault) => {
    const [located] = IMMUTABLE.test(fault.message) ? locateFaults(model, fields, [fault]) : [];
    const path = located?.field;
    return path === undefined || path === model.root.key
      ? { fault, path: undefined }
      : { fault: { ...fault, message: `${fault.message}. The live value is back in the field` }, path };
  });
  const frozen = judged.flatMap(({ path }) => (path === undefined ? [] : [path]));
  return { model: freezeNodes(model, frozen), frozen, faults: judged.map(({ fault }) => fault) };
}
