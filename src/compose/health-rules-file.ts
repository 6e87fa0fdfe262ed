import { isNode, LineCounter, parseAllDocuments } from 'yaml';
import { parseYamlDocuments } from '../domain/core/bounded-yaml.ts';
import { AppError, messageOf } from '../domain/core/errors.ts';
import { at, isObject, listAt, textAt } from '../domain/core/read.ts';
import { compileFaults, type KindRules } from '../domain/health/custom-rules.ts';
import { HEALTH_STATUSES } from '../domain/health/health.ts';
import { parseApiVersion, type KubeObject } from '../domain/kubernetes/resource.ts';
import { catalogKind } from '../domain/operator/kind/catalog-fields.ts';

/** Finds the rules for an object. */
export type RulesFor = (object: KubeObject) => KindRules | undefined;

/**
 * Reads health rules from a file: Operators, whose rules are for the objects of the kinds that they name, or a list of rules for all objects.
 *
 * @throws AppError `InvalidInput` with every rule that is wrong, each with file, line and column.
 */
export function parseHealthRules(file: string, text: string): RulesFor {
  const documents = documentsIn(file, text);
  const faults: string[] = [];
  const byKind = new Map<string, KindRules>();
  let forAll: KindRules | undefined;
  for (const { content, place } of documents) {
    const read = (list: unknown, path: readonly (string | number)[]): KindRules => {
      const found = rulesIn(list, { file, path, place });
      faults.push(...found.faults);
      return found.kindRules;
    };
    if (Array.isArray(content)) forAll = read(content, []);
    else {
      for (const [index, block] of listAt(content, 'spec', 'catalog', 'kinds').entries()) {
        const list = at(block, 'health');
        if (list !== undefined) byKind.set(textAt(block, 'kind') ?? '', read(list, ['spec', 'catalog', 'kinds', index, 'health']));
      }
    }
  }
  if (faults.length > 0) throw new AppError('InvalidInput', faults.join('\n'));
  if (byKind.size === 0 && forAll === undefined)
    throw new AppError(
      'InvalidInput',
      `${file}: it has no health rules: enter a list of rules, or an Operator with spec.catalog.kinds[].health`,
    );
  return ({ kind }) => byKind.get(kind) ?? forAll;
}

interface RulesDocument {
  readonly content: unknown;
  /** `12:5`, of a node or of the nearest one above it. */
  readonly place: (path: readonly (string | number)[]) => string;
}

function documentsIn(file: string, text: string): RulesDocument[] {
  try {
    const lines = new LineCounter();
    const parsed = parseAllDocuments(text, { lineCounter: lines, logLevel: 'silent', uniqueKeys: false });
    return parseYamlDocuments(text).map((content, index) => ({
      content,
      place: (path) => {
        for (let length = path.length; length >= 0; length -= 1) {
          const node: unknown = Array.isArray(parsed) ? parsed[index]?.getIn(path.slice(0, length), true) : undefined;
          if (!isNode(node) || !node.range) continue;
          const { line, col } = lines.linePos(node.range[0]);
          return `${line}:${col}`;
        }
        return '1:1';
      },
    }));
  } catch (error) {
    throw new AppError('InvalidInput', `${file}: ${messageOf(error)}`, { cause: error });
  }
}

interface RulesPlace extends Pick<RulesDocument, 'place'> {
  readonly file: string;
  readonly path: readonly (string | number)[];
}

const MEMBERS = ['status', 'when', 'message', 'messageExpression'];

function rulesIn(list: unknown, { file, path, place }: RulesPlace): { readonly kindRules: KindRules; readonly faults: readonly string[] } {
  const field = pathText(path);
  const fault = (at: readonly (string | number)[], message: string): string =>
    `${file}:${place([...path, ...at])}: ${pathText([...path, ...at]) || 'rules'}: ${message}`;
  const written: readonly unknown[] = Array.isArray(list) ? list : [];
  const faults = Array.isArray(list) ? [] : [fault([], 'it is not a list')];
  const rules = written.flatMap((rule, index) => {
    const read = catalogKind.read({ kind: '-', health: [rule] })?.health ?? [];
    if (read.length === 0) faults.push(fault([index], `a rule has a status (${HEALTH_STATUSES.join(', ')}) and an expression when`));
    const unknown = isObject(rule) ? Object.keys(rule).find((member) => !MEMBERS.includes(member)) : undefined;
    if (unknown !== undefined) faults.push(fault([index, unknown], `unknown field; a rule has ${MEMBERS.join(', ')}`));
    return read;
  });
  // With a rule that cannot be read, the numbers of the others are not known.
  const uncompiled = rules.length === written.length ? compileFaults(rules) : [];
  faults.push(...uncompiled.map(({ index, member, message }) => fault([index, member], message)));
  return { kindRules: { owner: file, field, rules }, faults };
}

/** `spec.catalog.kinds[0].health` */
function pathText(path: readonly (string | number)[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

/** The rules for the kinds of some objects, by `group/Kind`. */
export function rulesTable(rulesFor: RulesFor, objects: readonly KubeObject[]): ReadonlyMap<string, KindRules> {
  return new Map(
    objects.flatMap((object) => {
      const rules = rulesFor(object);
      return rules === undefined ? [] : [[`${parseApiVersion(object.apiVersion).group}/${object.kind}`, rules] as const];
    }),
  );
}
