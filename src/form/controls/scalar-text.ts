import { exactNumber } from '../../domain/core/exact-json.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import type { EnumNode, ScalarNode, ScalarType, SpecialTextNode, TextNode } from '../model/form-node.ts';
import { isSafeText } from '../../schema/yaml-text.ts';

/** The value that a text stands for, or a sentence that says why it stands for none. */
export type TextRead = { readonly value: Json; readonly fault?: undefined } | { readonly value?: undefined; readonly fault: string };

const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const LONGEST_NUMBER = 400;
const FEW_OPTIONS = 12;
const LONGEST_OPTION = 100;
const MOST_NEAR = 5;

/** Reads the text of a control. Only the type is looked at; limits are checked apart. The text is not empty. */
export function readScalar(node: ScalarNode, text: string): TextRead {
  if (node.kind === 'boolean') return readBoolean(text) ?? { fault: 'Choose Yes or No' };
  if (node.kind === 'enum') return readOption(node, text);
  return isText(node) ? { value: text } : readMeasure(node.types, text);
}

function isText(node: ScalarNode): node is TextNode | SpecialTextNode {
  return ['text', 'multiline', 'secret', 'cron', 'host', 'url'].includes(node.kind);
}

/**
 * The text of a value, which reads back as the same value; undefined when the control cannot hold it, because it has another type, is not among
 * the choices, or would be changed by a browser. The empty text is never given: it stands for an absent value.
 */
export function writeScalar(node: ScalarNode, value: Json): string | undefined {
  const text = textOf(node, value);
  if (text === undefined || text === '' || !isSafeText(text)) return undefined;
  if (text.includes('\n') && !isText(node) && node.kind !== 'enum') return undefined;
  const read = readScalar(node, text);
  return read.fault === undefined && Object.is(read.value, value) ? text : undefined;
}

/** Whether an empty text can be a value of the node. */
export function holdsText(node: ScalarNode): boolean {
  return node.kind !== 'enum' && node.kind !== 'boolean' && node.types.some((type) => type === 'string');
}

function textOf(node: ScalarNode, value: Json): string | undefined {
  if (node.kind === 'enum') return node.options.find((option) => option.value === value)?.text;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value === 0 ? 0 : value);
  if (typeof value !== 'string') return undefined;
  if (node.kind === 'boolean' || isText(node)) return value;
  return node.types.length > 1 && needsQuotes(node.types, value) ? JSON.stringify(value) : value;
}

function needsQuotes(types: readonly ScalarType[], text: string): boolean {
  const read = readMeasure(types, text);
  return read.fault !== undefined || read.value !== text;
}

/** By its text, else by its label, else by the only one that differs in capitals alone. */
function readOption({ options }: EnumNode, text: string): TextRead {
  const typed = text.trim();
  const same = options.filter((one) => one.text.toLowerCase() === typed.toLowerCase());
  const option =
    options.find((one) => one.text === text) ?? options.find((one) => one.label === typed) ?? (same.length === 1 ? same[0] : undefined);
  return option === undefined ? { fault: noOption(options, typed) } : { value: option.value };
}

function noOption(options: EnumNode['options'], typed: string): string {
  if (options.length <= FEW_OPTIONS || typed.length > LONGEST_OPTION) return 'Choose one of the options';
  const near = options.filter(({ text }) => text.toLowerCase().includes(typed.toLowerCase())).slice(0, MOST_NEAR);
  const hint = near.length === 0 ? 'choose one of the list' : `did you mean ${near.map(({ text }) => text).join(', ')}?`;
  return `${JSON.stringify(typed)} is not one of the ${options.length} choices: ${hint}`;
}

function readBoolean(text: string): TextRead | undefined {
  if (text !== 'true' && text !== 'false') return undefined;
  return { value: text === 'true' };
}

/** Numbers first, then what else is allowed. Where text is allowed too, quotes make text of a number: `"80"`. */
function readMeasure(types: readonly ScalarType[], text: string): TextRead {
  const trimmed = text.trim();
  const allows = (type: ScalarType) => types.includes(type);
  if (allows('boolean')) {
    const read = readBoolean(trimmed);
    if (read !== undefined) return read;
  }
  const looks = trimmed.length <= LONGEST_NUMBER && (allows('number') ? NUMBER : INTEGER).test(trimmed);
  if ((allows('integer') || allows('number')) && looks) return readNumber(trimmed, allows('string'));
  if (allows('string')) return { value: types.length > 1 ? unquoted(text) : text };
  return { fault: allows('number') ? 'Enter a number, such as 2.5' : 'Enter a whole number, such as 3' };
}

/** A number whose digits survive; where text is allowed, digits that would not are kept as text. */
function readNumber(text: string, textAllowed: boolean): TextRead {
  const value = exactNumber(text);
  if (value !== undefined) return { value: value === 0 ? 0 : value };
  return textAllowed ? { value: text } : { fault: tooManyDigits(text) };
}

function tooManyDigits(text: string): string {
  const nearest = Number(text);
  if (!Number.isFinite(nearest)) return 'This number is too large to be kept';
  if (INTEGER.test(text))
    return 'This number has too many digits: whole numbers are kept exactly from -9223372036854775808 to 9223372036854775807';
  return `This number has more digits than can be kept; the nearest one is ${nearest}`;
}

function unquoted(text: string): string {
  if (!text.startsWith('"') || !text.endsWith('"')) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : text;
  } catch {
    return text;
  }
}
