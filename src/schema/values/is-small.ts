import type { Json } from '../../domain/kubernetes/resource.ts';

/** What is handed to a thread is copied on the way, which takes 30 ms for so much. */
const MOST_NODES = 100_000;
const MOST_CHARACTERS = 5 * 1024 * 1024;
const DEEPEST = 200;

/** Whether JSON is small enough to be handed to a thread: by its nodes, its texts and its depth. Looks at no more than that. */
export function isSmall(json: Json): boolean {
  const left = { nodes: MOST_NODES, characters: MOST_CHARACTERS };
  const visit = (value: Json | undefined, depth: number): boolean => {
    left.nodes -= 1;
    if (left.nodes < 0 || left.characters < 0 || depth > DEEPEST) return false;
    if (typeof value === 'string') left.characters -= value.length;
    if (typeof value !== 'object' || value === null) return left.characters >= 0;
    if (Array.isArray(value)) return (value as readonly Json[]).every((item) => visit(item, depth + 1));
    return Object.entries(value).every(([key, member]) => {
      left.characters -= key.length;
      return visit(member, depth + 1);
    });
  };
  return visit(json, 0);
}
