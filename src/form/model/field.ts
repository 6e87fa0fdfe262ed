import type { Json } from '../../domain/kubernetes/resource.ts';

/** How near the surface a field stands: what must be filled, what the catalogue picked, everything else. */
export type Layer = 'required' | 'curated' | 'all';

/** What a scalar may be. One node can accept several, e.g. an integer or text. */
export type ScalarType = 'string' | 'integer' | 'number' | 'boolean';

/** Who names the default of a field: its schema, the values of the chart, what the Operator starts instances with, or the environment. */
export type FallbackSource = 'schema' | 'chart' | 'operator' | 'environment';

/** Help from a description: its first sentence, and the rest. Plain text, both possibly empty. */
export interface Help {
  readonly summary: string;
  readonly more: string;
}

/** Limits of a schema that are checked before anything is sent. Numbers and lengths are inclusive unless they say otherwise. */
export interface Constraints {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  /** In code points. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A foreign regular expression; only ever evaluated in linear time. */
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** What every node of a form has. */
export interface NodeBase {
  /** The name in its parent; empty for the rows of lists and maps. */
  readonly key: string;
  /** From the root, e.g. `['spec', 'users', '*', 'name']`; `*` stands for the rows of a list or map. */
  readonly path: readonly string[];
  readonly label: string;
  readonly help: Help;
  readonly required: boolean;
  /** The value that the api-server or the chart fills in. Shown, never written. */
  readonly fallback?: Json;
  readonly fallbackSource?: FallbackSource;
  /** values.yaml of the chart has it, and the schema of the chart does not describe it. */
  readonly inferred?: true;
  /** Cannot be changed once it has a value. */
  readonly immutable: boolean;
  /** Who sets it for everybody, `the environment shop`; absent: people may. */
  readonly locked?: string;
  readonly nullable: boolean;
  readonly layer: Layer;
}
