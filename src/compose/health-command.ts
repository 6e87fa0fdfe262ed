import { createReadStream } from 'node:fs';
import { parseArgs } from 'node:util';
import { isNode, LineCounter, parseAllDocuments } from 'yaml';
import { type CommandOutput, type Output, readStandardInput, takeOutput } from '../cli/command.ts';
import { parseYamlDocuments, YAML_BOUNDS } from '../domain/core/bounded-yaml.ts';
import { AppError, messageOf } from '../domain/core/errors.ts';
import { stringifyJson } from '../domain/core/exact-json.ts';
import { at, isObject, listAt, objectAt, textAt } from '../domain/core/read.ts';
import { compileFaults, type KindRules } from '../domain/health/custom-rules.ts';
import { tableOfKinds } from '../domain/health/rule-table.ts';
import { HEALTH_STATUSES, type HealthStatus } from '../domain/health/health.ts';
import { judgeHealth } from '../domain/health/rules/health-of.ts';
import { flattenList } from '../domain/kubernetes/flatten-list.ts';
import { type Json, type KubeObject, parseApiVersion } from '../domain/kubernetes/resource.ts';
import { catalogKind } from '../domain/operator/kind/catalog-fields.ts';
import { createHealthEvaluator } from '../operation/health/health-evaluator.ts';

/** What the command prints of one object; `-o json` prints a list of them. Without a health, `status` and `message` are absent. */
export interface HealthReport {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly status?: HealthStatus;
  readonly message?: string;
  /** What decided: `apps/Deployment`, `generic`, `deletion`, or the place of a rule of the file of rules, such as `[1]`. */
  readonly rule?: string;
}

const OPTIONS = { file: { type: 'string', short: 'f' }, rules: { type: 'string' }, 'exit-code': { type: 'boolean' } } as const;
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const BOUNDS = { ...YAML_BOUNDS, maxCharacters: MAX_FILE_BYTES };
/** With `--exit-code`, that of objects which are not well. */
const UNHEALTHY = 3;
const WELL: readonly (HealthStatus | undefined)[] = ['Healthy', 'Suspended', undefined];

/**
 * `chandlery health -f FILE|- [--rules FILE] [-o json] [--exit-code]`: the health of each object of a file, by the rules of the resource tree, without a cluster. The file is a YAML
 * stream, a JSON object, or a list such as `kubectl get -o yaml` prints.
 *
 * @returns the text to print and the code to exit with.
 * @throws AppError `ConfigInvalid` for options, `InvalidInput` for a file that cannot be read or holds something else.
 */
export async function healthCommand(argv: readonly string[]): Promise<CommandOutput> {
  const { file, rules, output, isJudging } = optionsOf(argv);
  const objects = objectsIn(file, await textOf(file));
  if (rules !== undefined) await evaluateRules(rules, objects);
  const reports = objects.map(reportOf);
  const isWell = reports.every(({ status }) => WELL.includes(status));
  return {
    text: output === 'json' ? `${stringifyJson(reports, 2)}\n` : linesOf(reports),
    code: isJudging && !isWell ? UNHEALTHY : 0,
  };
}

/** Tries health rules that are not in the catalogue yet. */
async function evaluateRules(file: string, objects: readonly KubeObject[]): Promise<void> {
  const table = rulesTable(parseHealthRules(file, await textOf(file)), objects);
  await createHealthEvaluator({ rules: () => tableOfKinds(table) }).evaluate(objects);
}

interface HealthOptions {
  readonly file: string;
  readonly rules?: string;
  readonly output: Output;
  readonly isJudging: boolean;
}

function optionsOf(argv: readonly string[]): HealthOptions {
  const { output, rest } = takeOutput('health', argv);
  const { file, rules, 'exit-code': isJudging = false } = parsed(rest);
  if (file === undefined || file === '')
    throw new AppError('ConfigInvalid', 'health: name a file, e.g. kubectl get deployments -o yaml | chandlery health -f -');
  return { file, output, isJudging, ...(rules === undefined ? {} : { rules }) };
}

function parsed(argv: readonly string[]): ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'] {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false }).values;
  } catch (cause) {
    throw new AppError(
      'ConfigInvalid',
      `health: ${messageOf(cause).split('. To specify')[0]}; it takes -f FILE, --rules FILE, -o json and --exit-code`,
      {
        cause,
      },
    );
  }
}

async function textOf(file: string): Promise<string> {
  if (file === '-') return (await readStandardInput()).toString('utf8');
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_FILE_BYTES) break;
    }
  } catch (cause) {
    throw bad(file, isMissing(cause) ? 'there is no such file' : 'it cannot be read', cause);
  }
  if (size > MAX_FILE_BYTES) throw bad(file, `it is larger than ${MAX_FILE_BYTES / 1024 / 1024} MiB`);
  return Buffer.concat(chunks).toString('utf8');
}

function isMissing(cause: unknown): boolean {
  return textAt(cause, 'code') === 'ENOENT';
}

/** Objects need no name here: a status is enough to try a rule. */
function objectsIn(file: string, text: string): KubeObject[] {
  const objects = documentsIn(file, text);
  return objects.map((object, index) => {
    const [apiVersion, kind] = [textAt(object, 'apiVersion'), textAt(object, 'kind')];
    if (!isObject(object) || apiVersion === undefined || kind === undefined)
      throw bad(file, `object ${index + 1} is not a Kubernetes object: it has no apiVersion or no kind`);
    const metadata = objectAt(object, 'metadata');
    return { ...object, apiVersion, kind, metadata: { ...metadata, name: textAt(metadata, 'name') ?? '' } };
  });
}

function documentsIn(file: string, text: string): readonly Json[] {
  try {
    return parseYamlDocuments(text, BOUNDS)
      .filter((document) => document !== null)
      .flatMap(itemsOf);
  } catch (error) {
    throw bad(file, messageOf(error), error);
  }
}

function itemsOf(document: Json): readonly Json[] {
  if (Array.isArray(document)) return document as readonly Json[];
  return isObject(document) ? flattenList(document).map(({ content }) => content) : [document];
}

function reportOf(object: KubeObject): HealthReport {
  const { apiVersion, kind, metadata } = object;
  const namespace = textAt(metadata, 'namespace');
  return { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name: metadata.name, ...judgeHealth(object) };
}

function linesOf(reports: readonly HealthReport[]): string {
  const table = [
    ['STATUS', 'KIND', 'NAME', 'MESSAGE'],
    ...reports.map(({ kind, namespace, name, status, message }) => [
      status ?? '-',
      kind,
      `${namespace === undefined ? '' : `${namespace}/`}${name}`,
      message ?? '',
    ]),
  ].map((row) => row.map(printable));
  const widths = [0, 1, 2].map((column) => Math.min(60, Math.max(...table.map((row) => row[column]?.length ?? 0))));
  const rows = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${[...rows, '', sumOf(reports)].join('\n')}\n`;
}

/** Objects are other people's text, and control characters mean something to a terminal. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

function sumOf(reports: readonly HealthReport[]): string {
  const counts = [...HEALTH_STATUSES.map((status) => [status, status] as const), [undefined, 'without health'] as const].map(
    ([status, word]) => [reports.filter((report) => report.status === status).length, word] as const,
  );
  const parts = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return `${reports.length} ${reports.length === 1 ? 'object' : 'objects'}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}

function bad(file: string, why: string, cause?: unknown): AppError {
  return new AppError('InvalidInput', `${file}: ${why}`, { cause });
}

/** Finds the rules for an object. */
export type RulesFor = (object: KubeObject) => KindRules | undefined;

/**
 * Reads health rules from a file: Operators, whose rules are for the objects of the kinds that they name, or a list of rules for all objects.
 *
 * @throws AppError `InvalidInput` with every rule that is wrong, each with file, line and column.
 */
function parseHealthRules(file: string, text: string): RulesFor {
  const documents = ruleDocuments(file, text);
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

function ruleDocuments(file: string, text: string): RulesDocument[] {
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
function rulesTable(rulesFor: RulesFor, objects: readonly KubeObject[]): ReadonlyMap<string, KindRules> {
  return new Map(
    objects.flatMap((object) => {
      const rules = rulesFor(object);
      return rules === undefined ? [] : [[`${parseApiVersion(object.apiVersion).group}/${object.kind}`, rules] as const];
    }),
  );
}
