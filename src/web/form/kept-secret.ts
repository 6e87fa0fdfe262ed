import { at, isObject } from '../../domain/read.ts';
import type { Json } from '../../domain/resource.ts';
import type { FormModel, FormNode } from '../../schema/form-node.ts';
import { formatPath, parsePath, type FormPath } from '../../schema/form-path.ts';
import { nodeAt } from './form-fields.ts';

const KEPT = /^<kept: (.{1,1000})>$/;

/** What stands for a secret of the live object where its value must not be shown. The path is that of the live object. */
export function keptSecret(path: FormPath): string {
  return `<kept: ${formatPath(path)}>`;
}

/** The value with every secret that the form knows of replaced by a text that stands for it. */
export function sealSecrets(node: FormNode, value: Json, path: FormPath): Json {
  if (node.kind === 'secret') return value === null || value === '' ? value : keptSecret(path);
  return eachMember(node, value, (child, member, step) => sealSecrets(child, member, [...path, step]));
}

/** The same, back again: texts that stand for a secret of the base become that secret. */
export function unsealSecrets(model: FormModel, base: Json | undefined, { node, value }: { node: FormNode; value: Json }): Json {
  if (node.kind === 'secret') return typeof value === 'string' ? (keptValue(model, base, value) ?? value) : value;
  return eachMember(node, value, (child, member) => unsealSecrets(model, base, { node: child, value: member }));
}

/** The secret that a text stands for; undefined when it stands for none, or for something that is no secret. */
export function keptValue(model: FormModel, base: Json | undefined, text: string): Json | undefined {
  const path = parsePath(KEPT.exec(text)?.[1] ?? '');
  if (path === undefined || nodeAt(model.root, path)?.kind !== 'secret') return undefined;
  return at(base, ...path.slice(1)) as Json | undefined;
}

function eachMember(node: FormNode, value: Json, change: (child: FormNode, member: Json, step: string | number) => Json): Json {
  if (node.kind === 'list' && Array.isArray(value)) return (value as readonly Json[]).map((item, index) => change(node.item, item, index));
  if ((node.kind !== 'group' && node.kind !== 'map') || !isObject(value) || Array.isArray(value)) return value;
  const members = node.kind === 'group' ? new Map(node.children.map((child) => [child.key, child])) : undefined;
  const changed = Object.entries(value as Readonly<Record<string, Json | undefined>>).map(([key, member]) => {
    const child = node.kind === 'map' ? node.value : members?.get(key);
    return [key, child === undefined || member === undefined ? member : change(child, member, key)] as const;
  });
  return Object.fromEntries(changed);
}
