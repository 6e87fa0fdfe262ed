import type { NodeBase } from '../model/field.ts';
import { boolean, enumeration } from './choices.ts';
import type { Control, ScalarBase } from './control.ts';
import { cron } from './cron.ts';
import { duration, percentage, quantity } from './measures.ts';
import type { FieldFacts, Holding } from './field-facts.ts';
import { host, port, url } from './addresses.ts';
import { integer, intOrString, number } from './numbers.ts';
import { multiline, secret, text } from './text.ts';

/** Every control, in the order in which they are asked whether a field is theirs: in doubt it is a secret, and what nobody wants is plain. */
export const CONTROLS = [
  enumeration,
  secret,
  quantity,
  duration,
  percentage,
  port,
  cron,
  host,
  url,
  multiline,
  text,
  integer,
  number,
  intOrString,
  boolean,
] as const;

type NodeOf<Each> = Each extends Control<infer Node> ? Node : never;

/** A node that holds one scalar, of any control. */
export type ControlNode = NodeOf<(typeof CONTROLS)[number]>;

const BY_KIND = new Map<string, Control>(CONTROLS.map((control) => [control.kind, control]));
const BY_HOLDING = new Map<Holding, Candidates>();

/** The controls that can hold what a schema allows, and those of them that may be claimed. */
interface Candidates {
  readonly all: readonly Control[];
  readonly claiming: readonly Control[];
}

/** The control of a node. */
export function controlOf(node: ScalarBase): Control {
  const control = BY_KIND.get(node.kind);
  if (control === undefined) throw new TypeError(`no control is called ${node.kind}`);
  return control;
}

/** The node of a field, with the control that its schema, its name and its words ask for. */
export function controlNode(base: NodeBase, field: FieldFacts): ControlNode {
  const { all, claiming } = candidatesFor(field);
  for (const control of claiming) {
    const traits = control.claim?.(field);
    if (traits !== undefined) return nodeOf(base, control, traits);
  }
  for (const control of all) {
    const traits = control.detect(field);
    if (traits !== undefined) return nodeOf(base, control, traits);
  }
  throw new TypeError(`no control takes ${field.types.join(' or ')}`);
}

function candidatesFor({ types, options }: FieldFacts): Candidates {
  const [first = 'mixed'] = types;
  const holding = options !== undefined ? 'options' : types.length === 1 ? first : 'mixed';
  const known = BY_HOLDING.get(holding);
  if (known !== undefined) return known;
  const all = CONTROLS.filter((control: Control) => control.holds.includes(holding));
  const found = { all, claiming: all.filter((control: Control) => control.claim !== undefined) };
  BY_HOLDING.set(holding, found);
  return found;
}

function nodeOf(base: NodeBase, { kind }: Control, traits: object): ControlNode {
  return { ...base, kind, ...traits } as ControlNode;
}
