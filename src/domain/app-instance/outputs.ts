import { listAt, textAt } from '../core/read.ts';
import { OURS } from '../kubernetes/names.ts';
import { isAppInstance } from './instance.ts';
import { type KubeObject, parseApiVersion } from '../kubernetes/resource.ts';
import type { ValuesFrom } from '../operator/kind/chart-fields.ts';
import type { InstanceValuesFrom } from './instance-kind.ts';

/** An output of another instance in the namespace: a connection key of its app. */
export interface OutputFrom {
  readonly group: string;
  readonly kind: string;
  /** Of the instance. */
  readonly name: string;
  /** The connection key. */
  readonly key: string;
  readonly targetPath: string;
  readonly optional: boolean;
}

const OBJECTS = ['Secret', 'ConfigMap'] as const;

/** A source of values by what it is: an object with values, or an output of an instance. */
export type SourceOfValues =
  { readonly kind: 'Object'; readonly from: ValuesFrom } | { readonly kind: 'Output'; readonly from: OutputFrom };

/** What an entry of `spec.valuesFrom` stands for. */
export function sourceOfValues({ apiVersion, kind, ...rest }: InstanceValuesFrom): SourceOfValues {
  const object = OBJECTS.find((one) => one === kind);
  const group = groupOf({ ...(apiVersion === undefined ? {} : { apiVersion }), kind });
  if (object !== undefined && group === '') return { kind: 'Object', from: { kind: object, ...rest } };
  return { kind: 'Output', from: { ...rest, group, kind, targetPath: rest.targetPath ?? '' } };
}

/** `PostgresServer orders output password` */
export function outputName({ kind, name, key }: OutputFrom): string {
  return `${kind} ${name} output ${key}`;
}

/** Whether an instance takes an output of another one in its namespace. */
export function takesOutputsOf(instance: KubeObject, other: KubeObject): boolean {
  if (!isAppInstance(instance) || instance.metadata.namespace !== other.metadata.namespace) return false;
  return listAt(instance.spec, 'valuesFrom').some((from) => {
    const [apiVersion, kind] = [textAt(from, 'apiVersion'), textAt(from, 'kind') ?? ''];
    const isSameKind = kind === other.kind && groupOf({ ...(apiVersion === undefined ? {} : { apiVersion }), kind }) === groupOf(other);
    return isSameKind && textAt(from, 'name') === other.metadata.name;
  });
}

function groupOf({ apiVersion, kind }: { readonly apiVersion?: string; readonly kind: string }): string {
  if (apiVersion !== undefined) return parseApiVersion(apiVersion).group;
  return OBJECTS.some((one) => one === kind) ? '' : OURS.appsGroup;
}
