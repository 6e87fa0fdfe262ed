import type { Log } from '../../observe/log.ts';
import type { Durability, ProgramSpec } from './programs.ts';
import { SupervisedProgram, type ProgramExit } from './supervised-program.ts';

/** What must still run while a program stops: clients need the api, the api needs the store. */
export type Layer = 'store' | 'api' | 'client';

const STOP_ORDER: readonly Layer[] = ['client', 'api', 'store'];
const GRACE_MS = 4000;

/** The programs of one cluster. They never outlive this process when it ends in an orderly way, and are found by the next start when it is killed. */
export class ProgramGroup {
  /** Resolves with the first program that was given up. */
  readonly exited: Promise<ProgramExit>;
  readonly #settings: { readonly stateFolder: string; readonly log: Log; readonly durability: Durability };
  readonly #programs: { readonly layer: Layer; readonly program: SupervisedProgram }[] = [];
  readonly #giveUp: (exit: ProgramExit) => void;
  readonly #killAll = (): void => this.#programs.forEach(({ program }) => program.killNow());

  constructor(settings: { readonly stateFolder: string; readonly log: Log; readonly durability: Durability }) {
    const { promise, resolve } = Promise.withResolvers<ProgramExit>();
    this.#settings = settings;
    this.exited = promise;
    this.#giveUp = resolve;
    process.once('exit', this.#killAll);
  }

  start(layer: Layer, spec: ProgramSpec): void {
    const { stateFolder, log } = this.#settings;
    const program = new SupervisedProgram({ spec, stateFolder, log, onGivenUp: this.#giveUp });
    this.#programs.push({ layer, program });
    program.start();
  }

  /** Stops clients first and the store last. What need not be kept is killed, which is faster. */
  async stop(): Promise<void> {
    const grace = this.#settings.durability === 'kept' ? GRACE_MS : 0;
    for (const layer of STOP_ORDER) {
      await Promise.all(this.#programs.filter((entry) => entry.layer === layer).map(({ program }) => program.stop(grace)));
    }
    process.off('exit', this.#killAll);
  }
}
