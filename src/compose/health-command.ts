import { createReadStream } from 'node:fs';
import { parseArgs } from 'node:util';
import { type CommandOutput, type Output, readStandardInput, takeOutput } from '../cli/command.ts';
import { parseYamlDocuments, YAML_BOUNDS } from '../domain/core/bounded-yaml.ts';
import { AppError, messageOf } from '../domain/core/errors.ts';
import { isObject, objectAt, textAt } from '../domain/core/read.ts';
import { HEALTH_STATUSES, type HealthStatus } from '../domain/health/health.ts';
import { judgeHealth } from '../domain/health/rules/health-of.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import { createHealthEvaluator } from '../operation/health/health-evaluator.ts';
import { parseHealthRules, rulesTable } from './health-rules-file.ts';

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
    text: output === 'json' ? `${JSON.stringify(reports, null, 2)}\n` : linesOf(reports),
    code: isJudging && !isWell ? UNHEALTHY : 0,
  };
}

/** Tries health rules that are not in the catalogue yet. */
async function evaluateRules(file: string, objects: readonly KubeObject[]): Promise<void> {
  const table = rulesTable(parseHealthRules(file, await textOf(file)), objects);
  await createHealthEvaluator({ rules: () => table }).evaluate(objects);
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
  const objects = documentsIn(file, text).flatMap(itemsOf);
  return objects.map((object, index) => {
    const [apiVersion, kind] = [textAt(object, 'apiVersion'), textAt(object, 'kind')];
    if (!isObject(object) || apiVersion === undefined || kind === undefined)
      throw bad(file, `object ${index + 1} is not a Kubernetes object: it has no apiVersion or no kind`);
    const metadata = objectAt(object, 'metadata');
    return { ...object, apiVersion, kind, metadata: { ...metadata, name: textAt(metadata, 'name') ?? '' } };
  });
}

function documentsIn(file: string, text: string): unknown[] {
  try {
    return parseYamlDocuments(text, BOUNDS).filter((document) => document !== null);
  } catch (error) {
    throw bad(file, messageOf(error), error);
  }
}

function itemsOf(document: unknown): readonly unknown[] {
  if (Array.isArray(document)) return document;
  const items = isObject(document) && (textAt(document, 'kind') ?? '').endsWith('List') ? document['items'] : undefined;
  return Array.isArray(items) ? items : [document];
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
