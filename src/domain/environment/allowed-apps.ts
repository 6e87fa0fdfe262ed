import { list, object, orEmpty, text, type ValueOf } from '../kind/field.ts';
import { compareTexts } from '../core/compare-texts.ts';

const patterns = (description: string) =>
  orEmpty(
    list(
      text({
        minLength: 1,
        maxLength: 253,
        rules: [
          {
            rule: "self.startsWith('category:') || self.matches('^[a-z0-9*]([-a-z0-9.*]*[a-z0-9*])?$')",
            message: 'must be the name of a CRD such as caches.samples.chandlery.dev, where * stands for any characters, or category:NAME',
          },
        ],
      }),
      { description, maxItems: 100, merge: 'set' },
    ),
  );

/** `spec.allowedApps`. */
export const allowedAppsField = object(
  {
    allow: patterns(
      'Only these apps can be installed. Empty: all that are not denied. By CRD, for example caches.samples.chandlery.dev or *.samples.chandlery.dev, or category:NAME.',
    ),
    deny: patterns('These apps cannot be installed, also where allow names them. Written as in allow.'),
  },
  { description: 'Which apps can be installed in the environment. Existing instances can still be changed and deleted. Absent: all.' },
);

export type AllowedApps = ValueOf<typeof allowedAppsField>;

/** What an App is allowed or denied by. */
export interface AppIdentity {
  /** The name of its CRD, `<plural>.<group>`. */
  readonly id: string;
  readonly category: string;
}

/** Whether an App can be installed in an Environment that allows these; absent: all. */
export function isAppAllowed(allowed: AllowedApps | undefined, app: AppIdentity): boolean {
  if (allowed === undefined) return true;
  const { allow, deny } = allowed;
  return !deny.some((pattern) => isMatch(pattern, app)) && (allow.length === 0 || allow.some((pattern) => isMatch(pattern, app)));
}

const CATEGORY = 'category:';

function isMatch(pattern: string, { id, category }: AppIdentity): boolean {
  if (pattern.startsWith(CATEGORY)) return pattern.slice(CATEGORY.length).trim().toLowerCase() === category.toLowerCase();
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return id === pattern;
  // Part after part at its earliest place, and the last one at the end: no pattern of a regular expression, which could take long.
  const last = rest.pop() ?? '';
  if (!id.startsWith(first) || !id.endsWith(last)) return false;
  const end = rest.reduce((from, part) => {
    const at = from < 0 ? -1 : id.indexOf(part, from);
    return at < 0 ? -1 : at + part.length;
  }, first.length);
  return end >= 0 && end <= id.length - last.length;
}

/** What is allowed, as a sentence. */
export function allowedAppsSentence({ allow, deny }: AllowedApps): string {
  const only = allow.length === 0 ? 'All' : `Only ${[...allow].sort(compareTexts).join(', ')}`;
  return deny.length === 0 ? only : `${only}, but not ${[...deny].sort(compareTexts).join(', ')}`;
}

/** @param app the name of its CRD. */
export function notAllowedMessage(environment: string, app: string): string {
  return `environment ${JSON.stringify(environment)}: its allowedApps do not allow ${app}; choose another environment or app, or ask the owner of the environment`;
}
