import { isNode, isPair, Parser, visit } from 'yaml';

/** The comments of a YAML text in their order, each without its `#`. */
export function commentLines(text: string): string[] {
  const found: string[] = [];
  const look = (token: unknown): void => {
    if (Array.isArray(token)) return token.forEach(look);
    if (typeof token !== 'object' || token === null) return;
    if ('type' in token && token.type === 'comment' && 'source' in token) found.push(String(token.source).slice(1));
    else for (const part of Object.values(token)) look(part);
  };
  for (const token of new Parser().parse(text)) look(token);
  return found;
}

/** The comments on a node or pair of a document, and on all that is within. */
export function commentsIn(part: unknown): string[] {
  const found: string[] = [];
  const take = (node: unknown): void => {
    const texts = isNode(node) ? [node.commentBefore, node.comment] : [];
    for (const text of texts) if (text !== null && text !== undefined && text !== '') found.push(text);
  };
  if (isPair(part)) return [part.key, part.value].flatMap(commentsIn);
  if (isNode(part)) visit(part, { Node: (_, node) => take(node) });
  return found;
}

/** Several comments as one. */
export function joinComments(comments: readonly (string | null | undefined)[]): string {
  return comments.filter((text) => text !== null && text !== undefined && text !== '').join('\n');
}
