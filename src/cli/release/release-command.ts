import { resolve } from 'node:path';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import type { Command, CommandOutput } from '../command.ts';
import { type Arguments, choiceOf, type Option, optionText, parseArguments } from '../options.ts';

const OPTIONS: readonly Option[] = [
  { name: 'to', value: 'VERSION', help: 'the release, such as v21.0.0, or aws/v21.0.0 to name the provider' },
  { name: 'only', value: 'COMPONENT', help: 'upgrade one component on its own' },
  { name: 'from', value: 'VERSION', help: 'new: the release to begin with; default the newest one before it' },
  { name: 'component', value: 'NAME=VERSION', many: 'many', help: 'new: the version of a component; repeatable' },
  { name: 'tree', short: 'C', value: 'DIR', completes: 'file', help: 'the root of the repository; default the current folder' },
  { name: 'dry-run', help: 'show what would change, and write nothing' },
  { name: 'strict', help: 'validate: exit with 3 for overlay keys that change nothing' },
  { name: 'output', short: 'o', value: 'FORMAT', choices: ['lines', 'json'], help: 'lines or json; default lines' },
];

/** What a subcommand takes of the command line. */
export interface ReleaseArguments extends Arguments {
  readonly root: string;
}

interface Subcommand {
  /** How many words follow it: least and most. */
  readonly words: readonly [number, number];
  readonly options: readonly string[];
  readonly run: (given: ReleaseArguments) => Promise<ReleaseOutput>;
}

/** What a subcommand prints in each format, and the code that it exits with. */
export interface ReleaseOutput {
  readonly data: unknown;
  readonly lines: readonly string[];
  readonly code?: number;
}

const SUBCOMMANDS = {
  new: {
    words: [1, 1],
    options: ['from', 'component', 'dry-run'],
    run: async (given) => {
      const { createRelease } = await import('./write-release.ts');
      return await createRelease(given);
    },
  },
  activate: {
    words: [1, 1],
    options: ['dry-run'],
    run: async (given) => {
      const { makeActive } = await import('./write-release.ts');
      return await makeActive(given);
    },
  },
  upgrade: {
    words: [1, 1],
    options: ['to', 'only', 'dry-run'],
    run: async (given) => {
      const { upgrade } = await import('./write-release.ts');
      return await upgrade(given);
    },
  },
  diff: {
    words: [1, 1],
    options: ['to', 'only'],
    run: async (given) => {
      const { diff } = await import('./show-release.ts');
      return await diff(given);
    },
  },
  validate: {
    words: [0, 1],
    options: ['strict'],
    run: async (given) => {
      const { validate } = await import('./show-release.ts');
      return await validate(given);
    },
  },
} as const satisfies Readonly<Record<string, Subcommand>>;

/** Releases in a git working tree; none of it needs a cluster. */
export const RELEASE_COMMAND: Command = {
  name: 'release',
  group: 'Files',
  usage:
    'new VERSION | activate VERSION | upgrade INSTALLATION/CLUSTER --to VERSION | diff INSTALLATION/CLUSTER [--to VERSION] | validate [FOLDER]',
  summary: 'make releases in a git working tree and upgrade clusters to them',
  options: OPTIONS.map((option) => [optionText(option), option.help] as const),
  settings: [],
  examples: [
    'chandlery release new v22.0.0 --component redis=19.1.0',
    'chandlery release upgrade gauss/peu01 --to v22.0.0 --dry-run',
    'chandlery release upgrade gauss/peu01 --to v22.0.0 --only redis',
    'chandlery release diff gauss/peu01 --to v22.0.0 -o json',
    'chandlery release validate --strict',
  ],
  optionWords: OPTIONS,
  run: async (argv) => await runRelease(argv),
};

async function runRelease([word, ...argv]: readonly string[]): Promise<CommandOutput> {
  const name = choiceOf('release', word, Object.keys(SUBCOMMANDS) as (keyof typeof SUBCOMMANDS)[]);
  const subcommand: Subcommand = SUBCOMMANDS[name];
  const [least, most] = subcommand.words;
  const options = OPTIONS.filter((option) => [...subcommand.options, 'tree', 'output'].includes(option.name));
  const usage = options.map((option) => `[${optionText(option)}]`).join(' ');
  const given = parseArguments({ name: `release ${name}`, usage, options, words: { least, most } }, argv);
  const { data, lines, code = 0 } = await subcommand.run({ ...given, root: resolve(given.text('tree') ?? '.') });
  const text = given.text('output') === 'json' ? `${stringifyJson(data, 2)}\n` : `${lines.join('\n')}\n`;
  return { text: lines.length === 0 && given.text('output') !== 'json' ? '' : text, code };
}
