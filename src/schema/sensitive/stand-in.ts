import { formatPath, parsePath, type FormPath } from '../form-path.ts';

/** What stands for a value that is not shown, in YAML, in fields and in REST answers; the group is the path of the value in the live object. */
export const STAND_IN = /^<masked: (.{1,2000})>$/s;

/** `<masked: spec.users[0].password>` */
export function standInFor(path: FormPath): string {
  return `<masked: ${formatPath(path)}>`;
}

/** The path of the value that a text stands for; undefined when it stands for none. */
export function standInPath(text: string): FormPath | undefined {
  const path = STAND_IN.exec(text)?.[1];
  return path === undefined ? undefined : parsePath(path);
}

/** Whether a text stands for a value, or was made of one that does. */
export function hasStandIn(text: string): boolean {
  return text.includes('<masked: ');
}
