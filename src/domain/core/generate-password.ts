/** A whole number from 0 up to, and not including, the bound; every one as likely as any other, and none to be foreseen. */
export type RandomBelow = (bound: number) => number;

export interface PasswordOptions {
  /** In characters. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Whether a text keeps whatever other rule there is. */
  readonly accepts?: (text: string) => boolean;
}

const USUAL_LENGTH = 32;
const MAX_LENGTH = 256;
/** Signs that nobody takes for each other, and that need no quotes anywhere. */
const UPPER = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const LOWER = 'abcdefghijkmnopqrstuvwxyz';
const DIGITS = '23456789';
const ALPHABETS: readonly (readonly string[])[] = [
  [UPPER, LOWER, DIGITS],
  [UPPER, LOWER, DIGITS, '-_.'],
  [LOWER, DIGITS],
  [UPPER, DIGITS],
  ['0123456789abcdef'],
  [DIGITS],
];
const TRIES = 8;

/**
 * A password that keeps the wish: 32 characters where it allows them, with at least one of each class of its alphabet. Undefined when none of the usual
 * alphabets keeps it.
 */
export function generatePassword(
  { minLength = 0, maxLength = MAX_LENGTH, accepts = () => true }: PasswordOptions,
  random: RandomBelow,
): string | undefined {
  const lengths = [Math.min(Math.max(USUAL_LENGTH, minLength), maxLength), Math.max(minLength, 16), Math.max(minLength, 8)];
  for (const length of lengths.filter((one) => one > 0 && one <= Math.min(maxLength, MAX_LENGTH))) {
    for (const classes of ALPHABETS) {
      for (let tried = 0; tried < TRIES; tried += 1) {
        const text = passwordOf(classes, length, random);
        if (accepts(text)) return text;
      }
    }
  }
  return undefined;
}

function passwordOf(classes: readonly string[], length: number, random: RandomBelow): string {
  const all = classes.join('');
  const signs = Array.from({ length }, (_, place) => signOf(classes[place] ?? all, random));
  // The classes came first; shuffled, nobody knows where they are.
  for (let place = length - 1; place > 0; place -= 1) {
    const other = random(place + 1);
    [signs[place], signs[other]] = [signs[other] ?? '', signs[place] ?? ''];
  }
  return signs.join('');
}

function signOf(alphabet: string, random: RandomBelow): string {
  return alphabet.charAt(random(alphabet.length));
}
