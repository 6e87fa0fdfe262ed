import { Environment, type ASTNode } from '@marcbachmann/cel-js';
import { isObject } from '../domain/core/read.ts';
import type { JsonObject } from '../domain/kubernetes/resource.ts';

/** A place below a schema, by the names of members; empty for the schema itself. */
type Path = readonly string[];

const MAX_RULE_LENGTH = 500;
const MAX_RULES = 100;
const environment = new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true });

/**
 * The places that the CEL rules of a schema freeze once they have a value: `self == oldSelf`, `self.size == oldSelf.size`, the same with the sides
 * exchanged, and behind guards that only let a first value through, such as `!has(oldSelf.size) || …`. A rule that allows some change freezes
 * nothing: the api-server has the last word on it.
 */
export function frozenPaths(schema: JsonObject): readonly Path[] {
  const wanted = rulesOf(schema).flatMap((rule) => operands('&&', parsed(rule)));
  const kept = wanted.flatMap(immutableMember);
  return wanted.flatMap((each) => frozenBy(each, kept));
}

function rulesOf(schema: JsonObject): string[] {
  const validations = schema['x-kubernetes-validations'];
  if (!Array.isArray(validations)) return [];
  const rules = validations.slice(0, 10 * MAX_RULES).flatMap((validation) => {
    const rule = isObject(validation) && typeof validation['rule'] === 'string' ? validation['rule'] : '';
    return rule.length <= MAX_RULE_LENGTH && rule.includes('oldSelf') ? [rule] : [];
  });
  return rules.slice(0, MAX_RULES);
}

function parsed(rule: string): ASTNode | undefined {
  try {
    return environment.parse(rule).ast;
  } catch {
    return undefined;
  }
}

/** `a && b && c` as its parts; anything else as it is. */
function operands(operator: '&&' | '||', node: ASTNode | undefined): readonly ASTNode[] {
  if (node === undefined) return [];
  return node.op === operator ? node.args.flatMap((part) => operands(operator, part)) : [node];
}

/** What must hold all of the time: a comparison, alone or behind guards. */
function frozenBy(node: ASTNode, kept: readonly Path[]): readonly Path[] {
  if (node.op === '?:') {
    const [condition, then] = node.args;
    const guard = presence(condition, 'oldSelf');
    return guard === undefined ? [] : frozenBy(then, kept).filter((path) => startsWith(path, guard));
  }
  const parts = operands('||', node);
  const guards = parts.map((part) => guardOf(part, kept)).filter((path) => path !== undefined);
  const [compared, ...others] = parts.filter((part) => guardOf(part, kept) === undefined);
  if (compared === undefined || others.length > 0) return [];
  const inner = compared === node ? equalled(node) : operands('&&', compared).flatMap((part) => frozenBy(part, kept));
  return inner.filter((path) => guards.every((guard) => startsWith(path, guard)));
}

/** `self.a == oldSelf.a`, either way around. */
function equalled(node: ASTNode): readonly Path[] {
  if (node.op !== '==') return [];
  const [left, right] = node.args;
  const [now, before] = [pathIn(left, 'self') ?? pathIn(right, 'self'), pathIn(right, 'oldSelf') ?? pathIn(left, 'oldSelf')];
  return now !== undefined && before !== undefined && startsWith(now, before) && now.length === before.length ? [now] : [];
}

/** The place whose absence lets a change through: that there was none before, or, where it cannot be taken away, that there is none now. */
function guardOf(node: ASTNode, kept: readonly Path[]): Path | undefined {
  if (node.op !== '!_') return undefined;
  const now = presence(node.args, 'self');
  const isKept = now !== undefined && kept.some((path) => startsWith(path, now) && path.length === now.length);
  return presence(node.args, 'oldSelf') ?? (isKept ? now : undefined);
}

/** `has(self.a) == has(oldSelf.a)`, `has(self.a) || !has(oldSelf.a)`: what is there stays there. */
function immutableMember(node: ASTNode): readonly Path[] {
  const parts = node.op === '==' ? node.args : operands('||', node).map((part) => (part.op === '!_' ? part.args : part));
  if (parts.length !== 2) return [];
  const [now, before] = ['self' as const, 'oldSelf' as const].map((root) =>
    parts.map((part) => presence(part, root)).find((path) => path !== undefined),
  );
  const implied = node.op === '==' || operands('||', node).some((part) => part.op === '!_' && presence(part.args, 'oldSelf') !== undefined);
  return implied && now !== undefined && before !== undefined && startsWith(now, before) && now.length === before.length ? [now] : [];
}

/** The place of `has(oldSelf.a)` or `oldSelf.hasValue()`. */
function presence(node: ASTNode, root: 'self' | 'oldSelf'): Path | undefined {
  if (node.op === 'call') {
    const [name, args] = node.args;
    return name === 'has' && args[0] !== undefined ? pathIn(args[0], root) : undefined;
  }
  return node.op === 'rcall' && node.args[0] === 'hasValue' ? pathIn(node.args[1], root) : undefined;
}

/** The members of `oldSelf.a['b']`, of `oldSelf.?a` and of `oldSelf.value().a`. */
function pathIn(node: ASTNode, root: 'self' | 'oldSelf'): Path | undefined {
  if (node.op === 'id') return node.args === root ? [] : undefined;
  if (node.op === 'rcall') return node.args[0] === 'value' ? pathIn(node.args[1], root) : undefined;
  if (node.op === '.' || node.op === '.?') {
    const above = pathIn(node.args[0], root);
    return above === undefined ? undefined : [...above, unescaped(node.args[1])];
  }
  if (node.op !== '[]') return undefined;
  const [inside, index] = node.args;
  const above = pathIn(inside, root);
  return above !== undefined && index.op === 'value' && typeof index.args === 'string' ? [...above, index.args] : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' };

/** Kubernetes spells names that CEL cannot say: `__namespace__`, `a__dot__b`. */
function unescaped(name: string): string {
  const keyword = /^__([a-z]+)__$/.exec(name)?.[1];
  if (keyword !== undefined && ESCAPES[keyword] === undefined) return keyword;
  return name.replaceAll(/__(underscores|dot|dash|slash)__/g, (_, word: string) => ESCAPES[word] ?? '');
}

function startsWith(path: Path, prefix: Path): boolean {
  return prefix.every((step, index) => path[index] === step);
}
