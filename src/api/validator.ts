import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { AppError, type FieldFault } from '../domain/core/errors.ts';
import { isObject, listAt, textAt } from '../domain/core/read.ts';
import type { Route } from './route.ts';
import { SCHEMAS } from './schemas.ts';

/** Checks the query and body of a route; the query's texts become numbers and lists where the schema says so. */
export interface Validator {
  readonly query: (raw: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  readonly body: (raw: unknown) => unknown;
}

/** Checks by the schemas of a route, each of which is compiled when it is asked for first. The functions throw AppError `InvalidInput` with a fault for each field. */
export function validatorOf(route: Route): Validator {
  let query: ValidateFunction | undefined;
  let body: ValidateFunction | undefined;
  return {
    query: (raw) => {
      query ??= COERCING.compile({ type: 'object', properties: route.query ?? {}, additionalProperties: false });
      const checked = { ...raw };
      check(query, checked, 'query');
      return checked;
    },
    body: (raw) => {
      if (route.body === undefined) return raw;
      body ??= PLAIN.compile({ ...route.body, components: { schemas: SCHEMAS } });
      check(body, jsonOf(raw), 'body');
      return raw;
    },
  };
}

/** The schemas are our own: that they are right is tested, and to check each again would hold the event loop. */
const OPTIONS = { allErrors: true, strict: false, validateSchema: false } as const;
const COERCING = new Ajv2020({ ...OPTIONS, coerceTypes: 'array', useDefaults: true });
const PLAIN = new Ajv2020(OPTIONS);

/** What `readJson` read; without a body there is nothing. */
function jsonOf(raw: unknown): unknown {
  if (isPlainObject(raw) || Array.isArray(raw)) return raw;
  throw new AppError('UnsupportedMediaType', 'body: this endpoint reads JSON: send an object with "Content-Type: application/json"');
}

function isPlainObject(raw: unknown): boolean {
  return isObject(raw) && Object.getPrototypeOf(raw) === Object.prototype;
}

function check(validate: ValidateFunction, value: unknown, where: string): void {
  if (validate(value)) return;
  const faults = (validate.errors ?? []).map(faultOf);
  throw new AppError('InvalidInput', `${where}: ${faults.map((fault) => fault.message).join('; ')}`, { faults });
}

function faultOf(error: ErrorObject): FieldFault {
  const above = error.instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const { key, message } = saidPlainly(error);
  const field = (key === undefined ? above : [...above, key]).join('.');
  return field === '' ? { message } : { field, message: `${JSON.stringify(field)} ${message}` };
}

/** Words for people, and the field's last step where the validator points at what holds it. */
function saidPlainly({ keyword, params, message }: ErrorObject): { readonly key?: string; readonly message: string } {
  if (keyword === 'additionalProperties') return { key: textAt(params, 'additionalProperty') ?? '', message: 'is not known here' };
  if (keyword === 'required') return { key: textAt(params, 'missingProperty') ?? '', message: 'is required' };
  if (keyword === 'enum') return { message: `must be one of ${listAt(params, 'allowedValues').join(', ')}` };
  return { message: message ?? 'is not valid' };
}
