/** The words of the name of a property, in lower case: `nodePort`, `node_port` and `NODEPort` are `node` and `port`. Takes time in proportion to its length. */
export function nameWords(name: string): readonly string[] {
  const start = name.length > MAX_LENGTH ? name.slice(0, MAX_LENGTH) : name;
  const spaced = CAPITAL.test(start) ? start.replaceAll(NEXT_WORD, ' ') : start;
  return spaced.toLowerCase().match(WORDS) ?? [];
}

const MAX_LENGTH = 200;
const CAPITAL = /[A-Z]/;
/** Where a capital begins a word. */
const NEXT_WORD = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g;
const WORDS = /[a-z0-9]+/g;

/** `an Issuer` */
export function withArticle(kind: string): string {
  return `${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind}`;
}

/** `a, b and 3 more`: the first of some texts, and how many there are besides. @param count of all, where the texts are not all of them. */
export function listInShort(texts: readonly string[], most: number, count = texts.length): string {
  const shown = texts.slice(0, most);
  const more = count - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
