import { textAt } from '../domain/core/read.ts';
import { listAll } from './api.ts';
import type { OpenApi } from './client-command.ts';
import type { Command, Completion, OptionWord, Terminal } from './command.ts';
import { wrong } from './options.ts';

/** The shells for which there is a script. */
const SHELLS = ['bash', 'zsh', 'fish'] as const;

const BASH = `# bash completion of chandlery: source <(chandlery completion bash)
_chandlery() {
  local IFS=$'\\n' current="\${COMP_WORDS[COMP_CWORD]}" found
  # Words are split at "=" and ":" too, which names do not hold.
  found=$("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || found=
  if [ "$found" = ":files" ]; then
    COMPREPLY=($(compgen -f -- "$current"))
    compopt -o filenames 2>/dev/null
  else
    COMPREPLY=($(compgen -W "$found" -- "$current"))
  fi
}
complete -F _chandlery chandlery
`;

const ZSH = `#compdef chandlery
# zsh completion of chandlery: source <(chandlery completion zsh)
_chandlery() {
  local -a found
  found=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "\${found[1]}" == ":files" ]]; then _files; else compadd -a found; fi
}
compdef _chandlery chandlery
`;

const FISH = `# fish completion of chandlery: chandlery completion fish | source
function __chandlery_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found ($words[1] __complete $words[2..-1] 2>/dev/null)
  if test "$found[1]" = ":files"
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $found
  end
end
complete -c chandlery -f -a '(__chandlery_complete)'
`;

/** The completion script of a shell. @throws AppError `ConfigInvalid` for another shell. */
export function completionScript(shell: string | undefined): string {
  const known = SHELLS.find((one) => one === shell);
  if (known === undefined) throw wrong('completion', `name a shell, one of ${SHELLS.join(', ')}`);
  return { bash: BASH, zsh: ZSH, fish: FISH }[known];
}

/** The line that lets the shell complete files. */
const FILES = ':files\n';
const PATIENCE_MS = 8_000;

/**
 * What `chandlery __complete WORDS` prints, of which the last word is not finished: a candidate a line, or `:files`. Names come from the catalogue that the
 * options name; when it is away, there are none.
 */
export async function complete(commands: readonly Command[], words: readonly string[], context: CompletionContext): Promise<string> {
  const [name = '', ...rest] = words;
  if (words.length <= 1) return lines([...commands.map((one) => one.name), 'help']);
  if (name === 'help') return lines(commands.map((one) => one.name));
  const command = commands.find((one) => one.name === name);
  if (command === undefined) return '';
  const options = optionsOf(command);
  const [current = '', before = ''] = [rest.at(-1), rest.at(-2)];
  const pending = options.find(
    ({ name: option, short, value }) => value !== undefined && [`--${option}`, `-${short ?? ''}`].includes(before),
  );
  if (pending !== undefined) return await valuesOf(pending, context, rest);
  if (current.startsWith('-')) return lines([...options.map((option) => `--${option.name}`), '--help']);
  const kind = command.words?.[wordsBefore(rest.slice(0, -1), options)];
  return kind === undefined ? '' : await namesOf(kind, { ...context, commands }, rest);
}

export interface CompletionContext {
  readonly openApi: OpenApi;
  readonly terminal: Terminal;
}

/** Those of the older commands are read from their help. */
function optionsOf({ optionWords, options }: Command): readonly OptionWord[] {
  if (optionWords !== undefined) return optionWords;
  return options.flatMap(([text]) => {
    const [, short, name, value] = /^(?:-(\w), )?--([a-z-]+)(?: (\S+))?/.exec(text) ?? [];
    if (name === undefined) return [];
    const completes = value?.startsWith('FILE') === true || value === 'DIR' ? { completes: 'file' as const } : {};
    return [{ name, ...completes, ...(short === undefined ? {} : { short }), ...(value === undefined ? {} : { value }) }];
  });
}

/** How many words stand before, besides options and their values. */
function wordsBefore(words: readonly string[], options: readonly OptionWord[]): number {
  const takesValue = (word = ''): boolean =>
    options.some(({ name, short, value }) => value !== undefined && (word === `--${name}` || word === `-${short ?? ''}`));
  return words.filter((word, at) => !word.startsWith('-') && !takesValue(words[at - 1])).length;
}

async function valuesOf({ choices, completes }: OptionWord, context: CompletionContext, words: readonly string[]): Promise<string> {
  if (choices !== undefined) return lines(choices);
  return completes === undefined ? '' : await namesOf(completes, { ...context, commands: [] }, words);
}

async function namesOf(
  kind: Completion,
  context: CompletionContext & { readonly commands: readonly Command[] },
  words: readonly string[],
): Promise<string> {
  switch (kind) {
    case 'file':
      return FILES;
    case 'command':
      return lines(context.commands.map(({ name }) => name));
    case 'source-action':
      return lines(['list', 'sync', 'suspend', 'resume', 'history', 'diff', 'rollback', 'keep']);
    case 'environment-action':
      return lines(['create', 'change', 'delete', 'keep', 'register']);
    case 'shell':
      return lines(SHELLS);
    case 'app':
    case 'environment':
    case 'instance':
    case 'operator':
    case 'source':
      return lines(await namesInCluster(kind, context, words));
    default:
      return kind satisfies never;
  }
}

async function namesInCluster(kind: Named, { openApi, terminal }: CompletionContext, words: readonly string[]): Promise<readonly string[]> {
  const given = (name: string): string | undefined => words[words.indexOf(name) + 1 || words.length];
  const connection = Object.fromEntries(
    (['server', 'kubeconfig', 'context'] as const).flatMap((name) => {
      const value = given(`--${name}`);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const tokenFile = given('--token-file');
  const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    const api = await openApi({ ...connection, ...(tokenFile === undefined ? {} : { tokenFile }) }, { ...terminal, signal });
    const environment = given('-e') ?? given('--environment');
    switch (kind) {
      case 'app':
        return textsOf(await listAll(api, 'listApps'), 'plural');
      case 'environment':
        return textsOf(await listAll(api, 'listEnvironments'), 'name');
      case 'operator':
        return (await listAll(api, 'listOperators')).map((one) => `${textAt(one, 'namespace') ?? ''}/${textAt(one, 'name') ?? ''}`);
      case 'source':
        return textsOf(await listAll(api, 'listSources'), 'name');
      case 'instance': {
        const environments = environment === undefined ? textsOf(await listAll(api, 'listEnvironments'), 'name') : [environment];
        const lists = await Promise.all(
          environments.map(async (one) => await listAll(api, 'listInstances', { params: { environment: one } })),
        );
        return lists.flat().map((one) => `${(textAt(one, 'app') ?? '').split('.')[0] ?? ''}/${textAt(one, 'name') ?? ''}`);
      }
      default:
        return kind satisfies never;
    }
  } catch {
    return [];
  }
}

type Named = Exclude<Completion, 'file' | 'command' | 'shell' | 'source-action' | 'environment-action'>;

function textsOf(items: readonly unknown[], key: string): readonly string[] {
  return items.map((item) => textAt(item, key) ?? '');
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
