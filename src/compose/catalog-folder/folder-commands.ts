import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import { ANSWER_NO } from '../../cli/client-command.ts';
import type { Command, CommandOutput, Terminal } from '../../cli/command.ts';
import { type Arguments, type Option, optionText, parseArguments, wrong } from '../../cli/options.ts';
import { dataText } from '../../cli/output.ts';
import { manyLines, oneLine } from '../../domain/core/plain-text.ts';
import { clientSettings } from '../../cli/client-settings.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { SourceFault } from '../../domain/source/catalog-source.ts';
import { sortFaults, type SourceRules } from '../../domain/source/check-documents.ts';
import type { CheckedFolder } from './check-folder.ts';
import type { TriedFolder } from './try-folder.ts';

/** How faults are printed: lines as compilers do, JSON, annotations of GitHub Actions, a code quality report of GitLab. */
const FAULT_FORMATS = ['lines', 'json', 'github', 'gitlab'] as const;

export interface FolderReport {
  readonly revision: string;
  readonly files: number;
  readonly resources: number;
  readonly faults: readonly SourceFault[];
  readonly unchecked: readonly string[];
}

function faultsText(format: (typeof FAULT_FORMATS)[number], report: FolderReport): string {
  switch (format) {
    case 'lines':
      return `${report.faults.map(lineOf).join('')}${sumOf(report)}\n`;
    case 'json':
      return dataText(report, 'json');
    case 'github':
      return report.faults.map(annotationOf).join('');
    case 'gitlab':
      return dataText(report.faults.map(findingOf), 'json');
    default:
      return format satisfies never;
  }
}

function lineOf({ file, line, column, message }: SourceFault): string {
  return `${file}${line === 0 ? '' : `:${line}:${column}`}: ${oneLine(message)}\n`;
}

function sumOf({ files, resources, faults }: FolderReport): string {
  const words = ([count, one]: readonly [number, string]): string => `${count} ${one}${count === 1 ? '' : 's'}`;
  return (
    [
      [files, 'file'],
      [resources, 'resource'],
      [faults.length, 'fault'],
    ] as const
  )
    .map(words)
    .join(', ');
}

/** A workflow command: https://docs.github.com/actions/reference/workflow-commands */
function annotationOf({ file, line, column, message }: SourceFault): string {
  const data = oneLine(message).replaceAll('%', '%25');
  const name = oneLine(file).replaceAll('%', '%25').replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::error file=${name}${line === 0 ? '' : `,line=${line},col=${column}`}::${data}\n`;
}

/** https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format */
function findingOf({ file, line, message }: SourceFault): object {
  return {
    description: oneLine(message),
    check_name: 'chandlery-validate',
    fingerprint: createHash('sha256')
      .update(JSON.stringify([file, message]))
      .digest('hex'),
    severity: 'major',
    location: { path: file, lines: { begin: Math.max(1, line) } },
  };
}

const FOLDER_OPTIONS: readonly Option[] = [
  {
    name: 'allow-kind',
    value: 'KIND.GROUP',
    many: 'many',
    help: 'a kind that the folder may hold, * for all; default: Operator, AppDefinition, Environment, GitLabDeployment, GitLabMonitoring and ResourceComposition',
  },
  {
    name: 'source',
    value: 'NAME',
    help: 'check it as this CatalogSource of the cluster would: its rules, its fields, what it would delete',
  },
  { name: 'kubeconfig', value: 'FILE', completes: 'file', help: 'the cluster of this kubeconfig, as its user' },
  { name: 'context', value: 'NAME', help: 'the cluster of this context of your kubeconfig, as its user' },
];

const VALIDATE_OPTIONS: readonly Option[] = [
  {
    name: 'output',
    short: 'o',
    value: 'FORMAT',
    choices: FAULT_FORMATS,
    help: 'lines (default), json, github (annotations) or gitlab (code quality)',
  },
  { name: 'crds', value: 'PATH', many: 'many', completes: 'file', help: 'a file or folder with CRDs whose schemas count, too' },
  { name: 'cluster', help: 'also try it in the cluster of your kubeconfig, by server-side dry runs' },
  ...FOLDER_OPTIONS,
];

const DIFF_OPTIONS: readonly Option[] = [
  { name: 'output', short: 'o', value: 'FORMAT', choices: ['diff', 'json'], help: 'diff (default) or json' },
  ...FOLDER_OPTIONS,
];

/** Commands about a folder of a catalogue, with and without a cluster. */
export function folderCommands(repoRoot: string): readonly Command[] {
  return [
    folderCommand({
      name: 'validate',
      summary: 'check a folder of a catalogue as a CatalogSource would, without a cluster or against one',
      options: VALIDATE_OPTIONS,
      examples: [
        'chandlery validate catalog',
        'chandlery validate catalog --cluster -o github',
        'chandlery validate clusters/prod --allow-kind "*" --crds crds/',
      ],
      act: async (args, terminal) => await validate(args, terminal, repoRoot),
    }),
    folderCommand({
      name: 'diff',
      summary: 'show what a folder of a catalogue would change in a cluster; secrets are masked',
      options: DIFF_OPTIONS,
      examples: ['chandlery diff catalog --source catalog', 'chandlery diff catalog --context kind-kind'],
      act: async (args, terminal) => await diff(args, terminal),
    }),
  ];
}

interface FolderCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly Option[];
  readonly examples: readonly string[];
  readonly act: (args: Arguments, terminal: Terminal) => Promise<CommandOutput>;
}

function folderCommand({ name, summary, options, examples, act }: FolderCommand): Command {
  return {
    name,
    group: 'Files',
    usage: 'FOLDER [options]',
    summary,
    options: options.map((option) => [optionText(option), option.help] as const),
    optionWords: options,
    settings: [],
    examples,
    words: ['file'],
    run: async (argv, terminal) => {
      const args = parseArguments({ name, usage: 'FOLDER', options, words: { least: 1, most: 1 } }, argv);
      return await act(args, terminal);
    },
  };
}

async function validate(args: Arguments, terminal: Terminal, repoRoot: string): Promise<CommandOutput> {
  const [folder = ''] = args.words;
  const format = FAULT_FORMATS.find((one) => one === args.text('output')) ?? 'lines';
  const { checkOffline, reservedNameFaults } = await import('./check-folder.ts');
  const isTried = args.flag('cluster') || ['kubeconfig', 'context', 'source'].some((option) => args.text(option) !== undefined);
  const offline = await checkOffline({ folder, spec: rulesOf(args), crds: args.texts('crds'), repoRoot });
  const tried = isTried ? await tryIn(args, terminal) : undefined;
  const checked = tried ?? offline;
  const reserved = reservedNameFaults(checked.candidates, tried?.tried.flatMap(({ live }) => live ?? []) ?? []);
  const found = isTried ? [...offline.faults.filter(({ resource }) => resource === undefined), ...checked.faults] : checked.faults;
  const faults = inFolder(folder, sortFaults(unique([...found, ...reserved])));
  for (const sentence of checked.unchecked) terminal.note(`Not checked: ${manyLines(sentence)}`);
  return {
    text: faultsText(format, { ...summaryOf(checked), faults, unchecked: checked.unchecked }),
    code: faults.length === 0 ? 0 : ANSWER_NO,
  };
}

function unique(faults: readonly SourceFault[]): readonly SourceFault[] {
  return [...new Map(faults.map((fault) => [JSON.stringify([fault.file, fault.line, fault.message]), fault])).values()];
}

function summaryOf({ revision, files, candidates }: CheckedFolder): { revision: string; files: number; resources: number } {
  return { revision, files, resources: candidates.length };
}

/** As they are found from here, which is the root of a repository in CI. */
function inFolder(folder: string, faults: readonly SourceFault[]): readonly SourceFault[] {
  const below = relative(process.cwd(), folder);
  const path = below.startsWith('..') ? folder : below;
  return faults.map((fault) => ({ ...fault, file: /\.ya?ml$/i.test(path) ? path : join(path, fault.file) }));
}

function rulesOf(args: Arguments): SourceRules['spec'] {
  const kinds = args.texts('allow-kind').map((text) => {
    if (text === '*') return { group: '*', kind: '*' };
    const [, kind = '', group = ''] = /^([A-Za-z*][A-Za-z0-9]*)(?:\.([a-z0-9.*-]+))?$/.exec(text) ?? [];
    if (kind === '') throw wrong('--allow-kind', `${JSON.stringify(text)} is not KIND.GROUP, e.g. Environment.chandlery.dev`);
    return { kind, group };
  });
  return { mode: 'Cluster', namespaces: [], ...(kinds.length === 0 ? {} : { allowedKinds: kinds }) };
}

async function tryIn(args: Arguments, { env, signal }: Terminal): Promise<TriedFolder> {
  const { createKube } = await import('../../kube/kube.ts');
  const { tryFolder } = await import('./try-folder.ts');
  const settings = clientSettings(env);
  const [kubeconfigPath, context] = [args.text('kubeconfig') ?? settings.kubeconfig, args.text('context') ?? settings.context];
  const kube = createKube({
    userAgent: 'chandlery-cli',
    ...(kubeconfigPath === undefined ? {} : { kubeconfigPath }),
    ...(context === undefined ? {} : { context }),
  });
  const source = args.text('source');
  try {
    const cluster = kube.asOneself().asController();
    const input = { folder: args.words[0] ?? '', spec: rulesOf(args), cluster, discovery: kube, signal };
    return await tryFolder({ ...input, ...(source === undefined ? {} : { source }) });
  } finally {
    await kube.close();
  }
}

async function diff(args: Arguments, terminal: Terminal): Promise<CommandOutput> {
  const [{ objectChanges }, { sensitiveIn, textsOf }, { BY_NAMES }] = await Promise.all([
    import('../../domain/upgrade/preview/object-changes.ts'),
    import('../../schema/sensitive/mask.ts'),
    import('../../schema/sensitive/sensitive-values.ts'),
  ]);
  const { tried, faults, unchecked } = await tryIn(args, terminal);
  const sides = { from: tried.flatMap(({ live }) => live ?? []), to: tried.flatMap(({ next }) => next ?? []) };
  const all = [...sides.from, ...sides.to].filter(({ kind, apiVersion }) => kind !== 'Secret' || apiVersion !== 'v1');
  const secrets = all.flatMap((object) => textsOf(sensitiveIn(BY_NAMES, object)));
  const found = objectChanges({ from: sides.from.map(contentOf), to: sides.to.map(contentOf), namespace: 'default', secrets });
  const placed = inFolder(args.words[0] ?? '', faults);
  for (const sentence of unchecked) terminal.note(`Not checked: ${manyLines(sentence)}`);
  for (const { file, line, message } of placed) terminal.note(`${file}:${line}: ${manyLines(message)}`);
  const isSame = found.changes.length === 0 && placed.length === 0;
  const text =
    args.text('output') === 'json'
      ? dataText({ ...found, faults: placed, unchecked }, 'json')
      : found.changes
          .map(({ kind, namespace, name, change, lines, omittedLines }) => {
            const title = `${change} ${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}\n`;
            const more = omittedLines === 0 ? '' : `… ${omittedLines} more lines\n`;
            return `${title}${lines.map((line) => `${manyLines(line)}\n`).join('')}${more}\n`;
          })
          .join('');
  return { text, code: isSame ? 0 : ANSWER_NO };
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** What people write of an object. */
function contentOf({ status: _status, metadata, ...object }: KubeObject): KubeObject {
  const { name, namespace, labels, annotations = {}, finalizers } = metadata;
  const { [LAST_APPLIED]: _applied, ...kept } = annotations;
  const own = { labels, annotations: Object.keys(kept).length === 0 ? undefined : kept, namespace, finalizers };
  return { ...object, metadata: { name, ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) } };
}
