import { DELETION_INTENTS, type DeletionIntent } from '../domain/kubernetes/deletion-intent.ts';
import type { Call, JsonSchema } from './route.ts';

/** Of a deletion that takes more with it than its own object. */
export const DELETION_INTENT_QUERY = {
  intent: {
    enum: [...DELETION_INTENTS],
    description:
      'What to do with what depends on it: `Cascade` deletes that with it, `Orphan` keeps it (annotation `chandlery.dev/deletion-intent`). Without it, the deletion is rejected while anything does',
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

/** The query has been checked against the schema. */
export function intentIn(query: Call['query']): DeletionIntent | undefined {
  return DELETION_INTENTS.find((intent) => intent === query['intent']);
}
