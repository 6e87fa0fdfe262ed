import type { Choices } from '../../domain/app/choices.ts';

/** What the fields of a page can refer to. */
export interface ShownChoices {
  /** Where it was looked for, as people call it; empty while no environment is chosen. */
  readonly environment: string;
  readonly byResource: ReadonlyMap<string, Choices>;
}
