/** The thread of `parse-in-worker.ts`: parses one rendered stream after the other, and gives its objects in parts that are quickly copied. */
import { parseRendered } from '../domain/kubernetes/manifest.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import { serveJobs } from '../thread/serve-jobs.ts';

const PART = 50;

export const PARSE_JOBS = { parse };

serveJobs(PARSE_JOBS);

function* parse(text: string): Generator<readonly KubeObject[], void> {
  const objects = parseRendered(text);
  for (let first = 0; first < objects.length; first += PART) yield objects.slice(first, first + PART);
}
