/** The thread of `parse-files.ts`: reads one file after the other. */
import { serveJobs } from '../thread/serve-jobs.ts';
import { parsePlainFile } from '../domain/source/parse-file.ts';

export const FILE_JOBS = { parsePlainFile };

serveJobs(FILE_JOBS);
