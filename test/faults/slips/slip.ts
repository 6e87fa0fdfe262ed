import type { Random } from '../random.ts';
import type { Guard } from './guard.ts';
import type { SlipWorld } from './world.ts';

/** A slip that has happened. */
export interface Slip {
  readonly what: string;
  /** What a person does about it. */
  undo(): Promise<void>;
}

export interface SlipContext {
  readonly world: SlipWorld;
  readonly guard: Guard;
  readonly random: Random;
  /** Another number for each slip. */
  readonly count: number;
}
