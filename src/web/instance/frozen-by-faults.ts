import type { FieldFault } from '../../domain/core/errors.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { formatPath } from '../../schema/form-path.ts';
import { locateFaults } from '../../form/input/locate-faults.ts';

const IMMUTABLE = /\bimmutable\b|(?:may not|cannot|can't) (?:be )?change/i;

/** Fields that turned out to be frozen. */
export interface FrozenFaults {
  /** Their paths. */
  readonly frozen: readonly string[];
  readonly faults: readonly FieldFault[];
}

/**
 * What the dry run of the api-server says cannot be changed, by a rule that the schema does not tell or that is not CEL. Such a field shows its live
 * value again for as long as the form is open, and says why.
 */
export function frozenFaults(model: FormModel, fields: URLSearchParams, faults: readonly FieldFault[]): FrozenFaults {
  const located = locateFaults(model, fields, faults);
  const judged = faults.map((fault, index) => {
    const path = IMMUTABLE.test(fault.message) ? located[index]?.field : undefined;
    return path === undefined || path === formatPath(model.root.path)
      ? { fault, path: undefined }
      : { fault: { ...fault, message: `${fault.message}. The field has the live value again` }, path };
  });
  return { frozen: judged.flatMap(({ path }) => (path === undefined ? [] : [path])), faults: judged.map(({ fault }) => fault) };
}
