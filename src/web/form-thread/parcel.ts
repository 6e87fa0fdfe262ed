import { at } from '../../domain/core/read.ts';
import type { FormModel } from '../../form/model/form-node.ts';

type Path = readonly string[];

/** Arguments or a result as threads can copy them. Inputs of forms, which they cannot, and models, which a thread may have already, travel apart, each with its place. */
export interface Parcel {
  readonly body: unknown;
  readonly inputs: readonly { readonly path: Path; readonly flat: readonly string[] }[];
  readonly model?: { readonly path: Path; readonly name: number };
}

/** Inputs are an argument, or a member of one or of its members. */
const DEEPEST = 2;

export function pack(value: unknown, model?: { readonly path: Path; readonly name: number }): Parcel {
  const inputs: { path: Path; flat: string[] }[] = [];
  const take = (part: unknown, path: Path): unknown => {
    if (part instanceof URLSearchParams) {
      inputs.push({ path, flat: [...part].flat() });
      return undefined;
    }
    if (model !== undefined && isSame(path, model.path)) return undefined;
    return path.length > DEEPEST ? part : eachMember(part, (member, key) => take(member, [...path, key]));
  };
  return { body: take(value, []), inputs, ...(model === undefined ? {} : { model }) };
}

/** What was packed. */
export function unpack({ body, inputs, model }: Parcel, modelOf: (name: number) => FormModel): unknown {
  const give = (part: unknown, path: Path): unknown => {
    const own = inputs.find((one) => isSame(one.path, path));
    if (own !== undefined) return new URLSearchParams(pairs(own.flat));
    if (model !== undefined && isSame(path, model.path)) return modelOf(model.name);
    if (part instanceof Uint8Array) return Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    return path.length > DEEPEST ? part : eachMember(part, (member, key) => give(member, [...path, key]));
  };
  return give(body, []);
}

/** Where the model is among the arguments of a job: first, beside the inputs, or nowhere. Values that look like one are none. */
export function modelPlace(job: string): Path | undefined {
  switch (job) {
    case 'followRows':
    case 'formatRows':
    case 'keepPlaces':
    case 'mergeChanges':
    case 'seenText':
    case 'readYaml':
    case 'reviewYaml':
      return undefined;
    case 'pressedFile':
      return ['1', 'model'];
    case 'installLink':
      return ['1'];
    default:
      return ['0'];
  }
}

export function modelIn(job: string, args: readonly unknown[]): FormModel | undefined {
  const path = modelPlace(job);
  return path === undefined ? undefined : (at(args, ...path.map((key) => (/^\d$/.test(key) ? Number(key) : key))) as FormModel | undefined);
}

function eachMember(value: unknown, change: (member: unknown, key: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((member, index) => change(member, String(index)));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member, key)]));
}

function isSame(one: Path, other: Path): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index]);
}

function pairs(flat: readonly string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, index) => [flat[2 * index] ?? '', flat[2 * index + 1] ?? '']);
}
