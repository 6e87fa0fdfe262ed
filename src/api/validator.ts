import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { AppError, type FieldFault } from '../domain/errors.ts';
import type { Route } from './route.ts';
import { SCHEMAS } from './schemas.ts';

/** Checks the query and body of a route; the query's texts become numbers and lists where the schema says so. */
export interface Validator {
  readonly query: (raw: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  readonly body: (raw: unknown) => unknown;
}

/** Compiles the schemas of a route, once. The functions throw AppError `InvalidInput` with a fault for each field. */
export function validatorOf(route: Route): Validator {
  const ajv = new Ajv2020({ allErrors: true, coerceTypes: 'array', useDefaults: true, strict: false });
  const plain = new Ajv2020({ allErrors: true, strict: false });
  const query = ajv.compile({ type: 'object', properties: route.query ?? {}, additionalProperties: false });
  const body = route.body === undefined ? undefined : plain.compile({ ...route.body, components: { schemas: SCHEMAS } });
  return {
    query: (raw) => {
      const checked = { ...raw };
      check(query, checked, 'query');
      return checked;
    },
    body: (raw) => {
      if (body !== undefined) check(body, raw, 'body');
      return raw;
    },
  };
}

function check(validate: ValidateFunction, value: unknown, where: string): void {
  if (validate(value)) return;
  const faults = (validate.errors ?? []).map(faultOf);
  throw new AppError('InvalidInput', `${where}: ${faults.map((fault) => fault.message).join('; ')}`, { faults });
}

function faultOf({ instancePath, message, params, keyword }: ErrorObject): FieldFault {
  const extra =
    keyword === 'additionalProperties' ? ` (${JSON.stringify((params as { additionalProperty?: unknown }).additionalProperty)})` : '';
  const field = instancePath.slice(1).replaceAll('/', '.');
  return { message: `${field === '' ? '' : `${field} `}${message ?? 'is not valid'}${extra}`, ...(field === '' ? {} : { field }) };
}
