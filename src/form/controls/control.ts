import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import type { Constraints, NodeBase, ScalarType } from '../model/field.ts';
import type { Advice } from './advice.ts';
import type { FieldFacts, Holding } from './field-facts.ts';

/** A node that holds one scalar, whatever its control. */
export interface ScalarBase extends NodeBase {
  readonly kind: string;
}

/** One that is typed: a text, a number, or a value that may be either. */
export interface TypedNode extends ScalarBase {
  readonly types: readonly ScalarType[];
  readonly constraints: Constraints;
}

/** One that only holds texts. */
export interface StringNode extends TypedNode {
  /** Of its schema; empty without one. */
  readonly format: string;
}

/** What a control adds to a node: all but what every node has. */
export type Traits<Node extends ScalarBase> = Omit<Node, keyof ScalarBase>;

/** The value that a text stands for, or a sentence that says why it stands for none. */
export type TextRead = { readonly value: Json; readonly fault?: undefined } | { readonly value?: undefined; readonly fault: string };

/** One of several values to choose from. */
export interface Option {
  /** The text that stands for the value in forms; unique among the options. */
  readonly text: string;
  readonly label: string;
  /** How it reads within a sentence, where its label would not. */
  readonly words?: string;
  readonly value: Json;
}

/** How a page shows a control. */
export interface ControlView {
  /** The part of `views/parts/` that renders it, without `field-`. */
  readonly part: 'text' | 'lines' | 'secret' | 'advised' | 'search' | 'radios' | 'select';
  readonly width: 'short' | 'medium' | 'full';
  /** The keyboard of a phone. */
  readonly inputMode?: 'numeric' | 'decimal' | 'url';
  /** Whether a button tells what was typed means before the form is sent. */
  readonly checkable?: true;
}

/** A field that gets the control: what a text means, and what is said of a wrong one. */
export interface Example {
  readonly name: string;
  readonly schema: JsonObject;
  readonly text: string;
  readonly value: Json;
  readonly wrong: { readonly text: string; readonly says: string };
}

/** All that one control knows, from the schema that asks for it to the part of a page that shows it. */
export interface Control<Node extends ScalarBase = ScalarBase> {
  readonly kind: Node['kind'];
  /** What the schemas that it is looked for in allow; it is never asked about others. */
  readonly holds: readonly Holding[];
  /** Whether its value is a secret, which no page, link and log shows. */
  readonly secret?: true;
  /** Whether its texts have a grammar that makes the limits of the schema not worth telling. */
  readonly ownGrammar?: true;
  /** The traits of a field whose schema says in so many words that it is one; asked of every control before any `detect`. */
  claim?(field: FieldFacts): Traits<Node> | undefined;
  /** The traits of a field that is one by its format, its name or its words; the first control that has some gets the field. */
  detect(field: FieldFacts): Traits<Node> | undefined;
  /** The value of a text that is not empty. Only the type is looked at; limits are checked apart. */
  read(node: Node, text: string): TextRead;
  /** The text of a value; undefined where it can hold none of that type. */
  format(node: Node, value: Json): string | undefined;
  /** Why a text breaks the grammar that the schema asks for, as a sentence; undefined where it keeps it. The schema may reject more. */
  check?(node: Node, value: string): string | undefined;
  /** Why a text does not match the pattern of its schema, in words that say more than the pattern. */
  explain?(node: Node, value: string): string | undefined;
  /** What a person may want to know of the value that they typed. */
  advise?(node: Node, value: string, now: Date): Advice | undefined;
  /** What a value looks like, as a sentence; empty where the help of the field shows that already. */
  hint?(node: Node): string;
  /** What it takes, in a few words: `a number`. */
  takes(node: Node): string;
  /** What it offers; absent where anything may be typed. */
  options?(node: Node): readonly Option[];
  /** Fields of a page that it is as much work as, beyond one. */
  work?(node: Node): number;
  view(node: Node): ControlView;
  readonly examples: readonly Example[];
}

/** All the help of a field, to see whether it shows already what a hint would. */
export function helpText({ help }: NodeBase): string {
  return `${help.summary} ${help.more}`;
}
