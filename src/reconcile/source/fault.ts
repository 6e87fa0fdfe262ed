import type { SourceFault } from '../../domain/source/catalog-source.ts';

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
