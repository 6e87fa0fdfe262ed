import type { Json } from '../kubernetes/resource.ts';

/** A rule in CEL that the api-server holds an object against. */
export interface CelRule {
  readonly rule: string;
  /** What to do about it. */
  readonly message: string;
  /** The member at fault, e.g. `.chartURL`. */
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** The rule that a member of an object stays as it was created, there or not. @param member as CEL spells it, such as `__namespace__`. */
export function unchanged(member: string): string {
  return `has(self.${member}) == has(oldSelf.${member}) && (!has(self.${member}) || self.${member} == oldSelf.${member})`;
}

/** The part of a structural schema (apiextensions.k8s.io/v1 JSONSchemaProps) that our kinds use. */
export interface StructuralSchema {
  readonly type?: 'string' | 'boolean' | 'integer' | 'number' | 'object' | 'array' | undefined;
  readonly description?: string;
  readonly default?: Json;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly anyOf?: readonly StructuralSchema[];
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly CelRule[];
}
