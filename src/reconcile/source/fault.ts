/** What is wrong in a catalogue folder, and where. */
export interface SourceFault {
  /** Relative to the folder, with `/`; empty when the folder as a whole is meant. */
  readonly file: string;
  /** Counted from 1; 0 when the file as a whole is meant. */
  readonly line: number;
  /** Counted from 1; 0 when the file as a whole is meant. */
  readonly column: number;
  /** `Kind namespace/name`, when that much could be read. */
  readonly resource?: string;
  /** What is wrong and what to do about it. */
  readonly message: string;
}

/** The order in which faults are shown: by place. */
export function sortFaults(faults: readonly SourceFault[]): SourceFault[] {
  return faults.toSorted(
    (a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column || a.message.localeCompare(b.message),
  );
}

/** Whether two faults say the same about the same place. */
export function sameFault(a: SourceFault, b: SourceFault): boolean {
  return a.file === b.file && a.line === b.line && a.column === b.column && a.message === b.message;
}
