/** Whether a path (relative, with `/`) is left out when a chart's folder is packed. */
export type IgnoreRule = (path: string, kind: 'file' | 'folder') => boolean;

/**
 * Reads a .helmignore: shell globs, one a line; a leading `/` or a `/` inside ties a pattern to the whole path, a trailing `/` means folders
 * only, `!` takes back what an earlier line left out. `**` is not known to Helm and is refused there; here it matches like `*`.
 */
export function parseHelmIgnore(text: string): IgnoreRule {
  const rules = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(ruleOf);
  return (path, kind) => {
    // Helm always leaves out hidden files among the templates.
    if (/^templates\/\.[^/]/.test(path)) return true;
    return rules.reduce((ignored, rule) => (rule.matches(path, kind) ? rule.ignores : ignored), false);
  };
}

interface Rule {
  readonly ignores: boolean;
  readonly matches: IgnoreRule;
}

function ruleOf(line: string): Rule {
  const ignores = !line.startsWith('!');
  const pattern = ignores ? line : line.slice(1);
  const foldersOnly = pattern.endsWith('/');
  const glob = pattern.replace(/^\//, '').replace(/\/$/, '');
  const isTied = pattern.startsWith('/') || glob.includes('/');
  const expression = expressionOf(glob);
  return {
    ignores,
    matches: (path, kind) => {
      if (foldersOnly && kind !== 'folder') return false;
      return expression.test(isTied ? path : (path.split('/').at(-1) ?? ''));
    },
  };
}

/** A pattern that is no glob, e.g. for its range `[z-a]`, matches itself only. */
function expressionOf(glob: string): RegExp {
  try {
    return new RegExp(`^${[...globParts(glob)].join('')}$`);
  } catch {
    return new RegExp(`^${RegExp.escape(glob)}$`);
  }
}

/** A glob as the parts of a regular expression, none of which can backtrack into another: `*` and `?` stop at a `/`. */
function* globParts(glob: string): Generator<string> {
  const tokens = glob.matchAll(/\*+|\?|\[!?[^\]/]+\]|\\?[^*?[\\]|[\\[]/g);
  for (const [token] of tokens) {
    if (token.startsWith('*')) yield '[^/]*';
    else if (token === '?') yield '[^/]';
    else if (token.startsWith('[') && token.length > 1) yield token.replace('[!', '[^').replaceAll('\\', '\\\\');
    else yield RegExp.escape(token.startsWith('\\') ? token.slice(1) : token);
  }
}
