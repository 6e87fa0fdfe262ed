import { choice, generation, list, object, optional, orEmpty, text, time, type Field } from './field.ts';
import type { Condition } from '../kubernetes/condition.ts';

/** `status.conditions`. @param subject what they are true of, for example "the source". */
export function conditionsField(subject: string): Field<readonly Condition[], 'present'> {
  const condition = object(
    {
      type: text({ description: 'What the condition is about, for example Ready.' }),
      status: choice(['True', 'False', 'Unknown'], { description: 'Whether it is true.' }),
      reason: text({ description: 'One word about why.' }),
      message: text({ description: 'A sentence for people.' }),
      observedGeneration: optional(generation({ description: 'The generation of the spec that the condition is about.' })),
      lastTransitionTime: time({ description: 'When the status of the condition changed last.' }),
    },
    {},
  );
  const description = `What is true of ${subject}, as the Kubernetes API conventions have it. Reconciling and Stalled are there only while they are true.`;
  return orEmpty(list(condition, { description, merge: { by: 'type' } }));
}
