import type { Condition } from '../../domain/kubernetes/condition.ts';
import { parseDuration } from '../../domain/core/duration.ts';
import { booleanAt, listAt, numberAt, textAt } from '../../domain/core/read.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { SourceFault } from './fault.ts';

/** The spec of a CatalogSource with every default filled in. */
export interface SourceSpec {
  readonly path: string;
  readonly prune: boolean;
  readonly suspend: boolean;
  /** Milliseconds. */
  readonly interval: number;
}

/** A resource that a source owns. */
export interface InventoryItem {
  readonly file: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Absent until it has been applied. */
  readonly uid?: string;
}

export interface SourceStatus {
  readonly observedGeneration?: number;
  readonly revision?: string;
  readonly lastAppliedRevision?: string;
  /** RFC 3339. */
  readonly lastAppliedTime?: string;
  readonly inventory: readonly InventoryItem[];
  readonly faults: readonly SourceFault[];
  readonly conditions: readonly Condition[];
}

export function parseSourceSpec(source: KubeObject): SourceSpec {
  const { spec } = source;
  return {
    path: textAt(spec, 'folder', 'path') ?? '',
    prune: booleanAt(spec, 'prune') ?? true,
    suspend: booleanAt(spec, 'suspend') ?? false,
    interval: parseDuration(textAt(spec, 'interval') ?? '10m'),
  };
}

export function parseSourceStatus(source: KubeObject): SourceStatus {
  const { status } = source;
  const observedGeneration = numberAt(status, 'observedGeneration');
  return {
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...texts(status, ['revision', 'lastAppliedRevision', 'lastAppliedTime']),
    inventory: listAt(status, 'inventory').map((item) => ({
      file: textAt(item, 'file') ?? '',
      apiVersion: textAt(item, 'apiVersion') ?? '',
      kind: textAt(item, 'kind') ?? '',
      ...texts(item, ['namespace']),
      name: textAt(item, 'name') ?? '',
      ...texts(item, ['uid']),
    })),
    faults: listAt(status, 'faults').map((item) => ({
      file: textAt(item, 'file') ?? '',
      line: numberAt(item, 'line') ?? 0,
      column: numberAt(item, 'column') ?? 0,
      ...texts(item, ['resource']),
      message: textAt(item, 'message') ?? '',
    })),
    conditions: listAt(status, 'conditions') as readonly Condition[],
  };
}

function texts<K extends string>(value: unknown, keys: readonly K[]): { [P in K]?: string } {
  const found: { [P in K]?: string } = {};
  for (const key of keys) {
    const text = textAt(value, key);
    if (text !== undefined) found[key] = text;
  }
  return found;
}
