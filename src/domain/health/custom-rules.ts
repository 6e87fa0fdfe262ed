import { Environment, EvaluationError, ParseError, TypeError as CelTypeError } from '@marcbachmann/cel-js';
import { messageOf } from '../core/errors.ts';
import { at, isObject, textAt } from '../core/read.ts';
import { crdsOfOperator } from '../catalog/app-catalog.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { catalogField } from '../operator/kind/catalog-fields.ts';
import type { CustomHealthRule } from '../operator/kind/health-fields.ts';
import type { Health } from './health.ts';

/** The rules that somebody wrote for the health of one kind. */
export interface KindRules {
  /** Who wrote them: `Operator chandlery-system/queue`, or a file. */
  readonly owner: string;
  /** Where the list is: `spec.catalog.kinds[0].health`. */
  readonly field: string;
  readonly rules: readonly CustomHealthRule[];
  /** Where each rule stands in the list, where only some of it are for the kind. */
  readonly positions?: readonly number[];
}

/** `spec.health[3]`: the place of a rule in the resource of its owner. */
export function ruleField({ field, positions }: Pick<KindRules, 'field' | 'positions'>, rule: number): string {
  return `${field}[${positions?.[rule] ?? rule}]`;
}

/** The rules of all Operators, by `group/Kind` of the kinds that they bring. */
export function rulesByKind(operators: readonly KubeObject[], crds: readonly KubeObject[]): ReadonlyMap<string, KindRules> {
  const found = new Map<string, KindRules>();
  for (const operator of operators) {
    const written = rulesOfOperator(operator);
    if (written.size === 0) continue;
    for (const { spec } of crdsOfOperator(operator, crds)) {
      const kind = textAt(spec, 'names', 'kind') ?? '';
      const rules = written.get(kind);
      if (rules !== undefined) found.set(`${textAt(spec, 'group') ?? ''}/${kind}`, rules);
    }
  }
  return found;
}

/** An Operator that was read never changes in place. */
const known = new WeakMap<KubeObject, ReadonlyMap<string, KindRules>>();

/** The rules of one Operator, by the names of kinds. */
export function rulesOfOperator(operator: KubeObject): ReadonlyMap<string, KindRules> {
  const before = known.get(operator);
  if (before !== undefined) return before;
  const owner = `Operator ${operator.metadata.namespace ?? ''}/${operator.metadata.name}`;
  const kinds = catalogField.read(at(operator.spec, 'catalog'))?.kinds ?? [];
  const written = kinds.map(
    ({ kind, health }, index) => [kind, { owner, field: `spec.catalog.kinds[${index}].health`, rules: health }] as const,
  );
  const found = new Map(written.filter(([, { rules }]) => rules.length > 0));
  known.set(operator, found);
  return found;
}

/** What a rule is written in: CEL as of the validation rules of CustomResourceDefinitions, with bounds on the size of an expression. */
const environment = new Environment({
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 1_000, maxDepth: 60, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 16 },
}).registerVariable('self', 'dyn');

/** An expression that does not compile, or could not be evaluated. */
export interface RuleFault {
  /** In the list of rules. */
  readonly index: number;
  readonly member: 'when' | 'messageExpression';
  readonly message: string;
}

/** The expressions that do not compile, or yield something else than a boolean and a text. */
export function compileFaults(rules: readonly CustomHealthRule[]): RuleFault[] {
  return rules.flatMap(({ when, messageExpression }, index) => {
    const own = compileFault(when, 'bool');
    const other = messageExpression === undefined ? undefined : compileFault(messageExpression, 'string');
    return [
      ...(own === undefined ? [] : [{ index, member: 'when' as const, message: own }]),
      ...(other === undefined ? [] : [{ index, member: 'messageExpression' as const, message: other }]),
    ];
  });
}

function compileFault(expression: string, wanted: 'bool' | 'string'): string | undefined {
  try {
    const { valid, type, error } = environment.check(expression);
    if (!valid) return `the CEL expression does not compile: ${errorText(error)}`;
    const yielded = String(type);
    return yielded === wanted || yielded === 'dyn' ? undefined : `the CEL expression must yield ${wanted}, not ${yielded}`;
  } catch (error) {
    return `the CEL expression does not compile: ${errorText(error)}`;
  }
}

/** What a rule says of one object. */
export type RuleAnswer =
  | { readonly kind: 'NoMatch' }
  /** `fault`: of the messageExpression, in whose place the message stands; it repeats no value. */
  | { readonly kind: 'Match'; readonly health: Health; readonly fault?: string }
  /** `message` may repeat a value of the object, `fault` does not. */
  | { readonly kind: 'Fault'; readonly message: string; readonly fault: string };

/** A rule that can be held against objects, as `celObject` makes them. What is foreign in it can take for ever: only for a thread that can be ended. */
export type RuleProgram = (self: unknown, kind: string) => RuleAnswer;

export function compileRule({ status, when, message, messageExpression }: CustomHealthRule): RuleProgram {
  const test = programOf(when);
  const word = messageExpression === undefined ? undefined : programOf(messageExpression);
  return (self, kind) => {
    const outcome = test(self);
    if ('error' in outcome) return { kind: 'Fault', message: outcome.error, fault: outcome.fault };
    if (typeof outcome.value !== 'boolean') return { kind: 'Fault', message: NO_BOOLEAN, fault: NO_BOOLEAN };
    if (!outcome.value) return { kind: 'NoMatch' };
    const plain = message ?? `${kind} is ${status}`;
    const said = word?.(self) ?? { value: plain };
    if ('error' in said) return { kind: 'Match', health: { status, message: plain }, fault: said.fault };
    if (typeof said.value !== 'string') return { kind: 'Match', health: { status, message: plain }, fault: NO_STRING };
    return { kind: 'Match', health: { status, message: said.value.slice(0, MAX_MESSAGE_LENGTH) } };
  };
}

const MAX_MESSAGE_LENGTH = 1_000;
const NO_BOOLEAN = 'the expression did not yield a boolean';
const NO_STRING = 'the expression did not yield a string';

type Outcome = { readonly value: unknown } | { readonly error: string; readonly fault: string };

function programOf(expression: string): (self: unknown) => Outcome {
  try {
    const run = environment.parse(expression);
    return (self) => {
      try {
        return { value: run({ self }) };
      } catch (error) {
        return { error: errorText(error), fault: errorCode(error) };
      }
    };
  } catch (error) {
    const text = errorText(error);
    return () => ({ error: text, fault: text });
  }
}

const MAX_ERROR_LENGTH = 200;

/** What kind of error it is: `no such key`. */
function errorCode(error: unknown): string {
  return isCelError(error) ? error.code.replaceAll('_', ' ') : 'evaluation failed';
}

/** The sentence of an error of CEL, without the picture of the expression below it. */
function errorText(error: unknown): string {
  const text = isCelError(error) ? error.summary : messageOf(error);
  return (text.split('\n')[0] ?? '').slice(0, MAX_ERROR_LENGTH);
}

function isCelError(error: unknown): error is EvaluationError | ParseError | CelTypeError {
  return error instanceof EvaluationError || error instanceof ParseError || error instanceof CelTypeError;
}

/** An object as a rule sees it: whole numbers are integers. */
export function celObject(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(celObject);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, celObject(member)])) : value;
}
