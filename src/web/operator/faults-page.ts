import type { CatalogFault } from '../../domain/operator/operator.ts';

export interface FaultRow {
  /** `operators/cache.yaml:12:3`; without a line when the fault is the file's as a whole; the path of a field where no file is at fault. */
  readonly place: string;
  readonly source: string;
  readonly resource: string;
  readonly message: string;
}

export function faultsPage(faults: readonly CatalogFault[]): { faults: FaultRow[] } {
  return { faults: faults.map(faultRow) };
}

function faultRow({ file, line, column, source, resource, field, message }: CatalogFault): FaultRow {
  const place = [file === '' ? (field ?? '') : file, ...(line > 0 ? [line] : []), ...(line > 0 && column > 0 ? [column] : [])].join(':');
  return { place, source, resource: resource ?? '', message };
}
