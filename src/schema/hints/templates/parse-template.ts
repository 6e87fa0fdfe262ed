/** A part of a chart's template. */
export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly words: readonly Word[] }
  | { readonly kind: 'block'; readonly keyword: BlockKeyword; readonly words: readonly Word[]; readonly body: readonly TemplateNode[] };

/** A word of an action: `.Values.a`, `$x`, `"text"`, `toYaml`, `|`, `(`, `)`, `:=`; a member stands right behind a bracket. */
export interface Word {
  readonly kind: 'path' | 'member' | 'text' | 'name' | 'sign';
  readonly text: string;
}
export type BlockKeyword = 'if' | 'with' | 'range' | 'define';

/** What may still be read of the templates of one chart, which are foreign. */
export interface TemplateBudget {
  actions: number;
}

const DEEPEST = 64;
const MAX_WORDS = 200;
const CLOSERS = { '"': '"', '`': '`', "'": "'" } as const;

/**
 * Reads a template of Helm as far as hints need it, in one pass over its characters. Branches of `else` stand in the body of their `if`, one behind the other.
 * What is broken or too much ends it early.
 */
export function parseTemplate(text: string, budget: TemplateBudget): readonly TemplateNode[] {
  const root: TemplateNode[] = [];
  const open: TemplateNode[][] = [root];
  let at = 0;
  let trims = false;
  while (at < text.length) {
    const start = text.indexOf('{{', at);
    const plain = text.slice(at, start === -1 ? text.length : start);
    const action = start === -1 || budget.actions <= 0 ? undefined : readAction(text, start);
    const shown = trims ? plain.trimStart() : plain;
    const kept = action?.trimsBefore === true ? shown.trimEnd() : shown;
    if (kept !== '') open.at(-1)?.push({ kind: 'text', text: kept });
    if (action === undefined) break;
    budget.actions -= 1;
    place(open, action.words);
    at = action.end;
    trims = action.trimsAfter;
  }
  return root;
}

/** Puts an action where it belongs: into the innermost open block. */
function place(open: TemplateNode[][], words: readonly Word[]): void {
  const [first, ...rest] = words;
  const keyword = first?.kind === 'name' ? first.text : '';
  const here = open.at(-1);
  if (here === undefined || first === undefined) return;
  if (keyword === 'end') {
    if (open.length > 1) open.pop();
  } else if (keyword === 'if' || keyword === 'with' || keyword === 'range' || keyword === 'define' || keyword === 'block') {
    const body: TemplateNode[] = [];
    here.push({ kind: 'block', keyword: keyword === 'block' ? 'define' : keyword, words: rest, body });
    open.push(open.length < DEEPEST ? body : []);
  } else if (keyword !== 'else') here.push({ kind: 'action', words });
}

interface Action {
  readonly words: readonly Word[];
  readonly trimsBefore: boolean;
  readonly trimsAfter: boolean;
  /** Behind its closing braces. */
  readonly end: number;
}

/** Undefined where it never ends. */
function readAction(text: string, start: number): Action | undefined {
  const trimsBefore = text[start + 2] === '-' && isSpace(text[start + 3]);
  let at = start + (trimsBefore ? 3 : 2);
  const words: Word[] = [];
  while (at < text.length) {
    while (isSpace(text[at])) at += 1;
    if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at);
      if (end === -1) return undefined;
      at = end + 2;
    } else if (text.startsWith('}}', at)) return { words, trimsBefore, trimsAfter: false, end: at + 2 };
    else if (text.startsWith('-}}', at)) return { words, trimsBefore, trimsAfter: true, end: at + 3 };
    else {
      const { word, end } = readWord(text, at);
      if (words.length < MAX_WORDS) words.push(word);
      at = end;
    }
  }
  return undefined;
}

function readWord(text: string, start: number): { readonly word: Word; readonly end: number } {
  const first = text[start] ?? '';
  if (first === '"' || first === '`' || first === "'") return readText(text, start, CLOSERS[first]);
  if ('|(),'.includes(first)) return { word: { kind: 'sign', text: first }, end: start + 1 };
  if (first === ':' || first === '=') {
    const end = start + (text[start + 1] === '=' ? 2 : 1);
    return { word: { kind: 'sign', text: ':=' }, end };
  }
  let end = start + 1;
  while (end < text.length && !isSpace(text[end]) && !'|(),:="`}'.includes(text[end] ?? '')) end += 1;
  const word = text.slice(start, end);
  if (first === '.' && text[start - 1] === ')') return { word: { kind: 'member', text: word }, end };
  return { word: { kind: first === '.' || first === '$' ? 'path' : 'name', text: word }, end };
}

function readText(text: string, start: number, closer: string): { readonly word: Word; readonly end: number } {
  let at = start + 1;
  while (at < text.length && text[at] !== closer) at += text[at] === '\\' && closer !== '`' ? 2 : 1;
  return { word: { kind: 'text', text: text.slice(start + 1, at) }, end: at + 1 };
}

function isSpace(sign: string | undefined): boolean {
  return sign === ' ' || sign === '\n' || sign === '\t' || sign === '\r';
}
