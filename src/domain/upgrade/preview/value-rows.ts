import type { FieldFault } from '../../core/errors.ts';
import type { Json } from '../../kubernetes/resource.ts';

/**
 * What can become of a field of given values when the schema under them changes: it is gone; gone, with another one that looks like it; it must be set now;
 * its default is another one; its type is; it may hold less.
 */
export const MIGRATION_CHANGES = ['removed', 'renamed', 'required', 'default', 'type', 'narrowed'] as const;

export type MigrationChange = (typeof MIGRATION_CHANGES)[number];

/** A value of the Operator about which somebody has to decide under another version of the chart. */
export interface ValueRow {
  /** `values.image.tag` */
  readonly path: string;
  readonly change: MigrationChange;
  /** A clause: what changed. */
  readonly message: string;
  /** What is set now, `[secret]` for secrets; absent where nothing is. */
  readonly value?: Json;
  /** The default that applied, and the one that would, for `default`. */
  readonly from?: Json;
  readonly to?: Json;
  readonly secret: boolean;
  /** What may be decided, best first: `move:<path>`, `remove`, `leave`, `take`, `keep`, `set`. */
  readonly options: readonly string[];
}

/** A value of another layer than `spec.values`: it has to be put right there. */
export interface ForeignValueRow {
  readonly path: string;
  readonly change: MigrationChange;
  readonly message: string;
  /** The layer that sets it. */
  readonly origin: string;
}

/** What another version of the chart asks about `spec.values`, and what was decided. */
export interface ValueDecisions {
  /** At most two hundred. */
  readonly rows: readonly ValueRow[];
  readonly otherLayers: readonly ForeignValueRow[];
  /** `Complete`: the rest of the preview uses the resulting values. */
  readonly state: 'None' | 'Pending' | 'Invalid' | 'Complete';
  /** What is not decided yet, or cannot be; only after somebody tried. */
  readonly faults: readonly FieldFault[];
  /** The CatalogSource whose file sets the values, so that they are to be changed there; absent: they can be changed here. */
  readonly source?: string;
  /** `spec.values` as YAML as they become, without secrets; absent while nothing is decided. */
  readonly yaml?: string;
}
