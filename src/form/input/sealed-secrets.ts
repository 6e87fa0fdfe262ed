import { at, isObject } from '../../domain/core/read.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import { findBranch } from '../model/find-branch.ts';
import { isSecret, type ChoiceNode, type FormModel, type FormNode } from '../model/form-node.ts';
import type { FormPath } from '../../schema/form-path.ts';
import { STAND_IN, standInFor, standInPath } from '../../schema/sensitive/mask.ts';
import { nodesAt } from './form-fields.ts';

/** The value with every secret that the form knows of replaced by a text that stands for it. */
export function sealSecrets(node: FormNode, value: Json, path: FormPath): Json {
  if (isSecret(node))
    return value === null || value === '' || (typeof value === 'string' && STAND_IN.test(value)) ? value : standInFor(path);
  if (node.kind === 'choice') return sealChoice(node, value, path);
  return eachMember(node, value, (child, member, step) => sealSecrets(child, member, [...path, step]));
}

/** A value of no branch keeps its shape: only texts are hidden, whichever branch knows them as secrets. */
function sealChoice(node: ChoiceNode, value: Json, path: FormPath): Json {
  const branch = node.branches[findBranch(node, value) ?? -1];
  if (branch !== undefined) return sealSecrets(branch.node, value, path);
  return node.branches.reduce((sealed, { node: each }) => sealTexts(each, sealed, path), value);
}

function sealTexts(node: FormNode, value: Json, path: FormPath): Json {
  if (isSecret(node)) return typeof value === 'string' ? sealSecrets(node, value, path) : value;
  return eachMember(node, value, (child, member, step) => sealTexts(child, member, [...path, step]));
}

/** The same, back again: texts that stand for a secret of the base become that secret. */
export function unsealSecrets(model: FormModel, base: Json | undefined, { path, value }: { path: FormPath; value: Json }): Json {
  // The branch that was sealed need not be the one that is read.
  return nodesAt(model.root, path).reduce((sealed, node) => unseal(model, base, { node, value: sealed }), value);
}

function unseal(model: FormModel, base: Json | undefined, { node, value }: { node: FormNode; value: Json }): Json {
  if (isSecret(node)) return typeof value === 'string' ? (liveSecret(model, base, value) ?? value) : value;
  return eachMember(node, value, (child, member) => unseal(model, base, { node: child, value: member }));
}

/** The secret that the text of a control stands for; undefined when it stands for none, or where no secret can be. */
export function secretOfBase(model: FormModel, base: Json | undefined, { path, text }: { path: FormPath; text: string }): Json | undefined {
  if (!STAND_IN.test(text) || !nodesAt(model.root, path).some(isSecret)) return undefined;
  return liveSecret(model, base, text);
}

function liveSecret(model: FormModel, base: Json | undefined, text: string): Json | undefined {
  const path = standInPath(text);
  if (path === undefined || !nodesAt(model.root, path).some(isSecret)) return undefined;
  return at(base, ...path.slice(model.root.path.length)) as Json | undefined;
}

function eachMember(node: FormNode, value: Json, change: (child: FormNode, member: Json, step: string | number) => Json): Json {
  if (node.kind === 'choice') return node.branches.reduce((sealed, branch) => eachMember(branch.node, sealed, change), value);
  if (node.kind === 'list' && Array.isArray(value)) return (value as readonly Json[]).map((item, index) => change(node.item, item, index));
  if ((node.kind !== 'group' && node.kind !== 'map') || !isObject(value) || Array.isArray(value)) return value;
  const members = node.kind === 'group' ? new Map(node.children.map((child) => [child.key, child])) : undefined;
  const changed = Object.entries(value as Readonly<Record<string, Json | undefined>>).map(([key, member]) => {
    const child = node.kind === 'map' ? node.value : members?.get(key);
    return [key, child === undefined || member === undefined ? member : change(child, member, key)] as const;
  });
  return Object.fromEntries(changed);
}
