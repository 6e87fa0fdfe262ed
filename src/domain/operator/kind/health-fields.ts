import { HEALTH_STATUSES } from '../../health/health.ts';
import { choice, type Field, list, object, optional, orEmpty, text, type ValueOf } from '../../kind/field.ts';

const healthRuleMembers = {
  status: choice(HEALTH_STATUSES, { description: 'The health of the objects that the rule matches.' }),
  when: text({
    description:
      "A CEL expression that is true for the objects that the rule matches, with the object as self, for example has(self.status) && self.status.phase == 'Failed'.",
    minLength: 1,
    maxLength: 2000,
  }),
  message: optional(text({ description: 'What is said about these objects. Defaults to the kind and the status.', maxLength: 500 })),
  messageExpression: optional(
    text({
      description:
        'A CEL expression that yields the message, with the object as self. Takes precedence over message, which is used if it fails.',
      minLength: 1,
      maxLength: 2000,
    }),
  ),
} as const;

/** A rule for the objects of the kind that it is written beside. */
export const healthRule = object(healthRuleMembers, {});

const kindHealthRule = object(
  {
    kind: text({
      description: 'The kind of the objects, for example Ingress, or with its API group: Ingress.networking.k8s.io.',
      minLength: 1,
      maxLength: 317,
      pattern: String.raw`^[A-Z][A-Za-z0-9]*(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`,
    }),
    ...healthRuleMembers,
  },
  {},
);

/** Rules for objects of any kind, those of Kubernetes included. @param scope whose objects: `of the release`. */
export function kindHealthField(scope: string): Field<readonly KindHealthRule[], 'present'> {
  return orEmpty(
    list(kindHealthRule, {
      description: `Rules for the health of the objects ${scope}, of any kind. The first one that matches gives the health; if none does, the built-in rules do.`,
      maxItems: 50,
      merge: 'atomic',
    }),
  );
}

/** One rule for the health of objects of a kind, in CEL. */
export type CustomHealthRule = ValueOf<typeof healthRule>;
/** The same with the kind that it is about. */
export type KindHealthRule = ValueOf<typeof kindHealthRule>;
