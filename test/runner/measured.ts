import type { FileReport } from './report.ts';

/** What has been measured of the files of this process. */
export const measured = new Map<string, Pick<FileReport, 'wall' | 'cpu' | 'waits'>>();
