import type { Api } from './api.ts';
import type { Command, CommandOutput, Completion, Terminal } from './command.ts';
import { type Arguments, type Option, optionText, parseArguments, type WordCount } from './options.ts';
import { type Column, dataText, OUTPUT_FORMATS, type OutputFormat, tableOf, type TableStyle } from './output.ts';

/** Where the operations are carried out. */
export interface Connection {
  /** The URL of a Chandlery server. */
  readonly server?: string;
  /** A file with a bearer token for the server. */
  readonly tokenFile?: string;
  /** A file of certificate authorities, in PEM, that the server is trusted by besides those of this machine. */
  readonly certificateAuthority?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Opens the API that the options, the environment or the stored login name. */
export type OpenApi = (connection: Connection, terminal: Terminal) => Promise<Api>;

/** What a command found or did. */
export interface Result {
  /** Everything, for `-o json` and `-o yaml`. */
  readonly data: unknown;
  /** For people. */
  readonly text: (style: TableStyle) => string;
  /** For `-o name`, one a line. */
  readonly names?: readonly string[];
  /** The code to exit with; default 0. */
  readonly code?: number;
}

/** The answer is no: not healthy, blocked, faults, differences. */
export const ANSWER_NO = 3;

export interface Call extends Terminal {
  readonly api: Api;
  readonly args: Arguments;
  readonly format: OutputFormat;
}

/** A command over the operations of Chandlery. */
export interface ClientCommand {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  readonly words: WordCount & { readonly kinds: readonly Completion[] };
  readonly options: readonly Option[];
  readonly examples: readonly string[];
  readonly act: (call: Call) => Promise<Result>;
}

export const ENVIRONMENT_OPTION: Option = {
  name: 'environment',
  short: 'e',
  value: 'NAME',
  completes: 'environment',
  help: 'the environment; default: the only one that you can see',
};

const OUTPUT_OPTION: Option = {
  name: 'output',
  short: 'o',
  value: 'FORMAT',
  choices: OUTPUT_FORMATS,
  help: 'table (default), wide, json, yaml or name',
};

/** @param what it does instead of the change. */
export function dryRunOption(what: string): Option {
  return { name: 'dry-run', help: `${what}; exit with 3 if something blocks or could not be checked` };
}

/** How a command finds a server. */
export const SERVER_OPTIONS: readonly Option[] = [
  { name: 'server', value: 'URL', help: 'ask this Chandlery server; default: CHANDLERY_SERVER, or the one of "chandlery login"' },
  {
    name: 'token-file',
    value: 'FILE',
    completes: 'file',
    help: 'the bearer token for --server; default: CHANDLERY_TOKEN, or the stored one',
  },
  { name: 'certificate-authority', value: 'FILE', completes: 'file', help: 'CA certificates of the server, in PEM' },
];

/** How every such command finds the operations. */
const CONNECTION_OPTIONS: readonly Option[] = [
  ...SERVER_OPTIONS,
  { name: 'kubeconfig', value: 'FILE', completes: 'file', help: 'act in the cluster of this kubeconfig, as its user' },
  { name: 'context', value: 'NAME', help: 'act in the cluster of this context of your kubeconfig, as its user' },
];

/** A command of the table, from one over the operations. */
export function clientCommand(command: ClientCommand, openApi: OpenApi): Command {
  const options = [...command.options, OUTPUT_OPTION, ...CONNECTION_OPTIONS];
  return {
    name: command.name,
    group: 'Catalogue and instances',
    usage: `${command.usage} [options]`.trimStart(),
    summary: command.summary,
    options: options.map((option) => [optionText(option), option.help] as const),
    settings: [],
    examples: command.examples,
    words: command.words.kinds,
    optionWords: options,
    run: async (argv, terminal) => {
      const args = parseArguments({ ...command, options }, argv);
      const format = OUTPUT_FORMATS.find((one) => one === args.text('output')) ?? 'table';
      const api = await openApi(connectionOf(args), terminal);
      try {
        return printed(await command.act({ ...terminal, api, args, format }), format, terminal);
      } finally {
        await api.close();
      }
    },
  };
}

/** What the options say; absent where they say nothing. */
export function connectionOf(args: Arguments): Connection {
  const given = {
    server: args.text('server'),
    tokenFile: args.text('token-file'),
    certificateAuthority: args.text('certificate-authority'),
    kubeconfig: args.text('kubeconfig'),
    context: args.text('context'),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function printed({ data, text, names = [], code = 0 }: Result, format: OutputFormat, { colors }: Terminal): CommandOutput {
  switch (format) {
    case 'json':
    case 'yaml':
      return { text: dataText(data, format), code };
    case 'name':
      return { text: names.map((name) => `${name}\n`).join(''), code };
    case 'table':
    case 'wide':
      return { text: text({ colors, ...(format === 'wide' ? { wide: 'wide' } : {}) }), code };
    default:
      return format satisfies never;
  }
}

export interface Listing {
  readonly items: readonly unknown[];
  readonly columns: readonly Column<unknown>[];
  readonly nameOf: (item: unknown) => string;
  /** What is said when there is nothing. */
  readonly empty: string;
}

/** A list of things, as a table. */
export function listing({ items, columns, nameOf, empty }: Listing): Result {
  return {
    data: { items },
    names: items.map(nameOf),
    text: (style) => (items.length === 0 ? `${empty}\n` : tableOf(columns, items, style)),
  };
}
