import { AppError } from '../core/errors.ts';

/** A fault of a Secret that a chart needs. `source` is `Secret "namespace/name"`; `why` quotes nothing of what is in it. */
export function chartSecretInvalid(source: string, why: string): AppError {
  return new AppError('ChartSecretInvalid', `chart: ${source}: ${why}`);
}
