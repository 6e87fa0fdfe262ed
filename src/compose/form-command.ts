import { parseArgs } from 'node:util';
import { type Output, readStandardInput, takeOutput } from '../cli/command.ts';
import { AppError, messageOf } from '../domain/core/errors.ts';
import { stringifyJson } from '../domain/core/exact-json.ts';
import { coverage, type Coverage } from '../form/model/coverage.ts';
import { buildForm } from '../form/model/form-model.ts';
import { valueWords } from '../form/view/value-words.ts';
import { listFields, type FieldLine } from '../form/model/list-fields.ts';
import { readFormSources, sourcesInText, type FormSource } from './form-sources.ts';

/** What the command prints of one schema; `-o json` prints a list of them. */
export interface FormReport {
  /** `Cluster postgresql.cnpg.io/v1`, or `values of redis 1.2.3`. */
  readonly title: string;
  readonly fields: readonly FieldLine[];
  readonly coverage: Coverage;
}

const OPTIONS = { file: { type: 'string', short: 'f' } } as const;
const STANDARD_INPUT = '-';

/**
 * `chandlery form -f FILE|- [-o json]`: every field that a CustomResourceDefinition, a values schema or a chart has in our forms.
 *
 * @returns the text to print.
 * @throws AppError `ConfigInvalid` for options; `InvalidInput` and the errors of charts for a file that cannot be read.
 */
export async function formCommand(argv: readonly string[], signal: AbortSignal): Promise<string> {
  const { file, output } = optionsOf(argv);
  const sources =
    file === STANDARD_INPUT ? sourcesInText('-', (await readStandardInput()).toString('utf8')) : await readFormSources(file, signal);
  const reports = sources.map(reportOf);
  return output === 'json' ? `${stringifyJson(reports, 2)}\n` : reports.map(linesOf).join('\n');
}

function optionsOf(argv: readonly string[]): { file: string; output: Output } {
  const { output, rest } = takeOutput('form', argv);
  const { file } = parsed(rest);
  if (file === undefined || file === '')
    throw new AppError('ConfigInvalid', 'form: name a file, e.g. chandlery form -f crd.yaml; a CRD, a values schema or a chart');
  return { file, output };
}

function parsed(argv: readonly string[]): { file?: string | undefined } {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false }).values;
  } catch (cause) {
    throw new AppError('ConfigInvalid', `form: ${messageOf(cause).split('. To specify')[0]}; it takes -f FILE and -o json`, { cause });
  }
}

function reportOf({ title, ...input }: FormSource): FormReport {
  const model = buildForm({ ...input, curated: [], defaultsFrom: 'chart', mode: 'create' });
  return { title, fields: listFields(model), coverage: coverage(input.schema, model) };
}

function linesOf({ title, fields, coverage: { leaves, typed, yaml, freeForm, unreachable } }: FormReport): string {
  const head = ['FIELD', 'CONTROL', 'LAYER', 'SOURCE', 'CONSTRAINTS'];
  const table = [head, ...fields.map((field) => [field.path, field.control, field.layer, sourceText(field), limitsText(field)])];
  const widths = head.map((_, column) => Math.min(80, Math.max(...table.map((row) => row[column]?.length ?? 0))));
  const rows = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const missing = unreachable.map((path) => `  unreachable: ${path}`);
  const sum = `${leaves} leaves: ${typed} typed, ${yaml} by YAML (${freeForm} free-form), ${unreachable.length} unreachable`;
  return `${[`# ${title}`, ...rows, '', sum, ...missing].join('\n')}\n`;
}

function sourceText({ source, fallback }: FieldLine): string {
  if (source === 'none') return '-';
  return fallback === undefined ? source : `${source} ${shortened(valueWords(fallback, 57).words)}`;
}

function limitsText({ required, immutable, constraints, options, reference, reason }: FieldLine): string {
  const limits = Object.entries(constraints).map(([name, value]) => `${name}=${shortened(String(value))}`);
  const choices = options === undefined ? [] : [`one of ${shortened(options.map((value) => stringifyJson(value)).join(' '))}`];
  const words = [
    required ? 'required' : '',
    immutable ? 'immutable' : '',
    ...limits,
    ...choices,
    reference === undefined ? '' : `${reference.part} of a ${reference.to.kind}`,
    reason ?? '',
  ];
  return words.filter((word) => word !== '').join(', ');
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}
