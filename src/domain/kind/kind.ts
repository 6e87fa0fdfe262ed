import { AppError } from '../core/errors.ts';
import { at } from '../core/read.ts';
import type { KnownType } from '../kubernetes/resource-types.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import type { Field } from './field.ts';
import type { CelRule, StructuralSchema } from './structural-schema.ts';

/** A kind of ours without a status, because Chandlery acts on none of its resources: what its CRD, its page in docs/ and its parser are made of. */
export interface StaticKind<S> {
  readonly type: KnownType;
  readonly shortNames?: readonly string[];
  /** A sentence about what a resource of the kind is. */
  readonly description: string;
  readonly columns: readonly PrinterColumn[];
  /** About the resource as a whole; those about the spec are the spec's. */
  readonly rules?: readonly CelRule[];
  readonly spec: Field<S>;
}

/** A kind of ours whose status Chandlery reports. */
export interface Kind<S, T> extends StaticKind<S> {
  readonly status: Field<T>;
}

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  /** 1: only with `-o wide`. */
  readonly priority?: 1;
}

/** The columns that all kinds of ours have. */
export const READY_COLUMN: PrinterColumn = { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' };
export const MESSAGE_COLUMN: PrinterColumn = {
  name: 'Message',
  type: 'string',
  description: 'The sentence of the condition Ready',
  jsonPath: '.status.conditions[?(@.type=="Ready")].message',
};
export const RECONCILE_AT_COLUMN: PrinterColumn = {
  name: 'Reconcile-At',
  type: 'string',
  description: 'The annotation chandlery.dev/reconcile-at that was handled last',
  jsonPath: '.status.lastHandledReconcileAt',
  priority: 1,
};
export const AGE_COLUMN: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/**
 * The spec of a resource, with its defaults.
 *
 * @throws AppError `InvalidInput` that names the field, for one that the CRD would not let in.
 */
export function specOf<S>(kind: StaticKind<S>, object: KubeObject): S {
  return kind.spec.read(object.spec ?? {}) ?? reject('spec', kind.spec, object);
}

/** The status of a resource; what is missing or foreign in it is left out. Throws as `specOf`. */
export function statusOf<T>(kind: Kind<unknown, T>, object: KubeObject): T {
  return kind.status.read(object.status ?? {}) ?? reject('status', kind.status, object);
}

function reject(part: 'spec' | 'status', { schema }: Field<unknown>, { kind, metadata, ...object }: KubeObject): never {
  const resource = `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
  const path = [part, ...firstGap(schema, object[part])].join('.');
  throw new AppError('InvalidInput', `${resource}: ${path} is missing or of the wrong type: set it as its CRD describes it`);
}

/** Where the first member is missing that has to be there. */
function firstGap({ required = [], properties = {} }: StructuralSchema, value: unknown): string[] {
  for (const name of required) {
    const member = at(value, name);
    if (member === undefined) return [name];
    const gap = firstGap(properties[name] ?? {}, member);
    if (gap.length > 0) return [name, ...gap];
  }
  return [];
}
