import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { at, isObject, objectAt, textAt } from '../../src/domain/core/read.ts';
import type { Answer, Product } from './product.ts';

/**
 * Checks answers against an OpenAPI description: a success must be described for its call and hold nothing that is not; everything else must
 * be a problem.
 *
 * @param description what `/api/v1/openapi.json` answers.
 * @returns a check for the method, the path below `/api/v1` and the answer.
 */
export function answerCheck(description: unknown): (method: string, path: string, answer: Answer) => void {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema({ $id: 'api', components: { schemas: closed(objectAt(description, 'components', 'schemas')) } });
  const compiled = new Map<string, ValidateFunction>();
  const validatorFor = (key: string, schema: unknown): ValidateFunction => {
    const validate = compiled.get(key) ?? ajv.compile(JSON.parse(stringifyJson(closed(schema)).replaceAll('"#/', '"api#/')) as object);
    compiled.set(key, validate);
    return validate;
  };
  return (method, path, answer) => {
    const here = `${method} ${path}: ${answer.status}`;
    const template = Object.keys(objectAt(description, 'paths')).find((candidate) => patternOf(candidate).test(path.split('?')[0] ?? ''));
    const isProblem = answer.status >= 400;
    const type = answer.headers.get('content-type') ?? '';
    const schema = isProblem
      ? { $ref: '#/components/schemas/Problem' }
      : at(
          description,
          'paths',
          template ?? '',
          method.toLowerCase(),
          'responses',
          answer.status,
          'content',
          type.split(';')[0] ?? '',
          'schema',
        );
    if (isProblem) assert.match(type, /^application\/problem\+json/, here);
    if (schema === undefined) {
      assert.equal(answer.body, '', `${here} has a body that is not described`);
      return;
    }
    const validate = validatorFor(isProblem ? 'problem' : `${method} ${template ?? ''} ${answer.status} ${type}`, schema);
    assert.ok(validate(answer.body), `${here}: ${ajv.errorsText(validate.errors)}: ${stringifyJson(validate.errors?.[0]?.params)}`);
    if (isProblem) assert.equal(at(answer.body, 'status'), answer.status, here);
  };
}

/** The product with every answer of its API held against its own description. */
export function checkedProduct(product: Product): Product {
  let check: ReturnType<typeof answerCheck> | undefined;
  const api: Product['api'] = async (name, path, init) => {
    check ??= answerCheck(await (await fetch(`${product.origin}/api/v1/openapi.json`)).json());
    const answer = await product.api(name, path, init);
    check(init?.method ?? 'GET', path, answer);
    return answer;
  };
  return { ...product, api };
}

function patternOf(template: string): RegExp {
  const parts = template.split('/').map((part) => (part.startsWith('{') ? '[^/]+' : part.replaceAll('.', String.raw`\.`)));
  return new RegExp(`^${parts.join('/')}$`);
}

/** The schema with every object that lists its properties closed to others. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, key === 'enum' ? value : closed(value)]));
  const lists = textAt(schema, 'type') === 'object' && isObject(schema['properties']) && schema['additionalProperties'] === undefined;
  return lists ? { ...inner, additionalProperties: false } : inner;
}
