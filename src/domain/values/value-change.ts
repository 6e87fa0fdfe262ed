import type { Json } from '../kubernetes/resource.ts';

/** Who sets a value of an instance, the lowest first: its schema, what the Operator starts instances with, the environment, or the person. */
export const VALUE_LAYERS = ['schema', 'operator', 'environment', 'you'] as const;
export type ValueLayer = (typeof VALUE_LAYERS)[number];

/** A value of an instance that becomes another one. */
export interface ValueChange {
  /**
   * `spec.storage.size`, rows of lists by what tells them apart: `spec.users[name=anna].login`. `spec.users[*]` stands for the order of the rows, whose
   * values are then their keys. Names with other characters are quoted.
   */
  readonly path: string;
  /** Absent: there is none. */
  readonly from?: Json;
  readonly to?: Json;
  /** Who sets what it becomes. */
  readonly layer: ValueLayer;
  /** Whether the values are secret: `SECRET_VALUE` stands for each then. */
  readonly secret: boolean;
}

/** What stands for a secret where values are compared. */
export const SECRET_VALUE = '[secret]';
