import { stringifyJson } from '../../domain/core/exact-json.ts';
import { isSame } from '../../domain/core/merge-patch.ts';
import { at, isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { findBranch } from '../model/find-branch.ts';
import { isScalar, isSecret, type FormModel, type FormNode } from '../model/form-node.ts';
import { formatPath } from '../../schema/form-path.ts';
import { writeScalar } from '../controls/scalar.ts';
import { placesAt, sensitivePlaces } from '../../schema/sensitive/sensitive-values.ts';
import { hasStandIn } from '../../schema/sensitive/mask.ts';
import { childOf } from './form-fields.ts';
import { prefill } from './prefill.ts';

/** An address that fills a form, and what of it has no place there. */
export interface FormLink {
  readonly query: URLSearchParams;
  /** Paths, in the order of the form. */
  readonly secret: readonly string[];
  /** What an address cannot say, such as an empty text, and what makes it too long. */
  readonly left: readonly string[];
}

/** Characters of the query; longer addresses are cut or rejected on their way. */
const MAX_LENGTH = 6000;
const MAX_VALUES = 300;

/**
 * The query that `prefill` reads back as these values. Secrets stay out, and so does what would come back as something else.
 *
 * @param head what stands before the values, such as the environment.
 */
export function formLink(model: FormModel, values: JsonObject, head: Readonly<Record<string, string>>): FormLink {
  const places = sensitivePlaces(model.sensitive, { value: values, root: model.root.path });
  const entries = entriesOf(model.root, values, model.root.path);
  const query = new URLSearchParams(Object.entries(head).filter(([, text]) => text !== ''));
  const secret: string[] = [];
  const left: string[] = [];
  let length = query.toString().length;
  for (const entry of entries) {
    const pair = new URLSearchParams({ [`v.${formatPath(entry.path)}`]: entry.text ?? '' });
    const own = pair.toString().length + 1;
    if (entry.isSecret || placesAt(places, entry.path) !== undefined || hasStandIn(entry.text ?? '')) secret.push(formatPath(entry.path));
    else if (length + own > MAX_LENGTH || query.size >= MAX_VALUES || !comesBack(model, pair, entry)) left.push(formatPath(entry.path));
    else {
      for (const [name, text] of pair) query.append(name, text);
      length += own;
    }
  }
  return { query, secret, left };
}

interface Entry {
  readonly path: readonly string[];
  readonly value: Json;
  /** Undefined: an address cannot say it. */
  readonly text: string | undefined;
  readonly isSecret: boolean;
}

/** One entry for each control, and for each list, map and free-form part as a whole. */
function entriesOf(node: FormNode | undefined, value: Json, path: readonly string[]): Entry[] {
  if (node !== undefined && isSecret(node)) return [{ path, value, text: undefined, isSecret: true }];
  const inside = node?.kind === 'choice' ? node.branches[findBranch(node, value) ?? -1]?.node : node;
  if (inside?.kind === 'group' && isObject(value)) {
    return Object.entries(value).flatMap(([key, member]) =>
      member === undefined ? [] : entriesOf(childOf(inside, key), member, [...path, key]),
    );
  }
  if (inside === undefined) return [{ path, value, text: undefined, isSecret: false }];
  if (isScalar(inside)) return [{ path, value, text: writeScalar(inside, value), isSecret: false }];
  return [{ path, value, text: stringifyJson(value), isSecret: false }];
}

function comesBack(model: FormModel, pair: URLSearchParams, { path, value, text }: Entry): boolean {
  return text !== undefined && isSame(at(prefill(model, pair), ...path.slice(model.root.path.length)), value);
}
