import type { Commands } from '../../domain/instance/instance.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { contentMarked } from './instance-masking.ts';
import { formatPath } from '../../schema/form-path.ts';
import { changeSensitive, sensitiveValues, type Marked } from '../../schema/sensitive/sensitive-values.ts';
import { hasStandIn, standInFor } from '../../schema/sensitive/mask.ts';

/** Two contents as commands compare them: of a sensitive value only whether it changes can be shown. */
export function maskedSides(
  own: Marked,
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
): { readonly before: JsonObject; readonly after: JsonObject } {
  const marked = contentMarked(own);
  const known = new Map(sensitiveValues(marked, { value: before, root: [] }).map(({ path, value }) => [formatPath(path), value]));
  const mask = (value: Json, change: Parameters<typeof changeSensitive>[2]): JsonObject =>
    changeSensitive(marked, { value, root: [] }, change) as JsonObject;
  return {
    before: mask(before, ({ path }) => standInFor(path)),
    after: mask(after, ({ path, value }) => standInFor(path) + (known.get(formatPath(path)) === value ? '' : OTHER)),
  };
}

/** What tells a changed value from the one before; a private-use character, which is in no command in the end. */
const OTHER = '\u{F8FF}';
const IN_DOUBLE_QUOTES = /"(<masked: (?:[^"\\<>]|\\.)*>)\u{F8FF}?"/gu;
const IN_SINGLE_QUOTES = /'(<masked: (?:[^'<>]|'')*>)\u{F8FF}?'/gu;
const ADVICE = '# Sensitive values are not repeated here: put each in place of its <masked: …>, in quotes.';

/**
 * Commands and files whose stand-ins are no text of JSON or YAML any more: what is run without the values fails, and writes no stand-in. Where there is
 * none, nothing changes.
 */
export function withBareStandIns<T extends Commands>(commands: T): T {
  const texts = [commands.kubectl, commands.curl, commands.yaml];
  if (!texts.some(hasStandIn)) return commands;
  const [kubectl = '', curl = '', yaml = ''] = texts.map(bareStandIns);
  return { ...commands, kubectl, curl, yaml };
}

/** One such text. */
export function bareStandIns(text: string): string {
  if (!hasStandIn(text)) return text;
  const bare = text.replaceAll(IN_DOUBLE_QUOTES, '$1').replaceAll(IN_SINGLE_QUOTES, '$1').replaceAll(OTHER, '');
  return `${ADVICE}\n${bare}`;
}
