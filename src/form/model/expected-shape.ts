import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { isObject } from '../../domain/core/read.ts';
import { expectedSchema, type ChartHints } from '../../schema/hints/chart-hints.ts';
import { holdsObjects, type Form } from '../../schema/hints/type-by-name.ts';
import { resolveSchema } from '../../schema/resolve-schema.ts';
import type { Work } from '../../schema/work.ts';
import { FREE, shapeOf, typesOf, yamlShape, type Shape } from './shape.ts';

/** Why a list of whatever a chart installs beside its own objects is YAML, which is the best control for it. */
export const WHOLE_OBJECTS = 'whole objects of Kubernetes';

/** A node of the values of a chart that its schema leaves open. */
export interface OpenNode {
  /** Below the root. */
  readonly path: readonly string[];
  readonly schema: Json | undefined;
  readonly fallback: Json | undefined;
  readonly shape: Shape & { readonly kind: 'yaml' };
}

/**
 * The shape of a node of which the schema of a chart says nothing, as far as the chart or its name tell. It is a better control and no limit: the schema
 * alone judges values, and what the control cannot hold is YAML as before.
 */
export function expectedShape(hints: ChartHints, { path, schema, fallback, shape }: OpenNode, work: Work): Shape {
  if (!FREE.has(shape.reason)) return shape;
  if (holdsObjects(path)) return yamlShape(WHOLE_OBJECTS, shape.schema);
  const said = isObject(shape.schema) && Object.keys(shape.schema).length > 0 ? shape.schema : isObject(schema) ? schema : {};
  const description = typeof said['description'] === 'string' ? said['description'] : '';
  const expected = expectedSchema(hints, { path, form: formOf(said), fallback, description, schema: said });
  return expected === undefined ? shape : shapeOf(expected, (part) => resolveSchema({ root: {}, work }, part, []));
}

function formOf(schema: JsonObject): Form {
  const [type, ...more] = typesOf(schema);
  if (more.length > 0) return 'any';
  if (type === 'object') return 'object';
  return type === 'array' ? 'list' : 'any';
}
