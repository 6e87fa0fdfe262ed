/** The thread of `check-values.ts`: holds values against a schema. */
import { serveJobs } from '../../thread/serve-jobs.ts';
import { valueFaults } from './value-faults.ts';

export const VALUES_JOBS = { valueFaults };

serveJobs(VALUES_JOBS);
