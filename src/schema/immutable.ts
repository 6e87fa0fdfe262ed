import { isObject } from '../domain/read.ts';
import type { JsonObject } from '../domain/resource.ts';

const WHOLE = /^self\s*==\s*oldSelf$/;
const MEMBER = /^self\.(\w+)\s*==\s*oldSelf\.(\w+)$/;

/** Whether a CEL rule forbids every change: `self == oldSelf`. Other rules are left to the api-server. */
export function isImmutable(schema: JsonObject): boolean {
  return rulesOf(schema).some((rule) => WHOLE.test(rule));
}

/** The members that a rule of their parent freezes: `self.size == oldSelf.size`. */
export function immutableMembers(schema: JsonObject): ReadonlySet<string> {
  const names = rulesOf(schema).flatMap((rule) => {
    const [, now, before] = MEMBER.exec(rule) ?? [];
    return now !== undefined && now === before ? [now] : [];
  });
  return new Set(names);
}

function rulesOf(schema: JsonObject): string[] {
  const validations = schema['x-kubernetes-validations'];
  if (!Array.isArray(validations)) return [];
  return validations.flatMap((validation) =>
    isObject(validation) && typeof validation['rule'] === 'string' ? [validation['rule'].trim().slice(0, 500)] : [],
  );
}
