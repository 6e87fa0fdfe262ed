/** The thread of `index-in-worker.ts`: parses the index of one repository into a file. */
import { serveJobs } from '../../thread/serve-jobs.ts';
import { openIndexFile, parseIndex } from './parse-index.ts';
import { type IndexCounts, IndexWriter } from './index-format.ts';

export interface IndexPaths {
  /** An index.yaml. */
  readonly from: string;
  /** Where its parsed form goes; there is nothing yet. */
  readonly to: string;
}

export const INDEX_JOBS = { parse };

serveJobs(INDEX_JOBS);

function parse({ from, to }: IndexPaths): IndexCounts {
  const writer = new IndexWriter(to);
  return writer.end(parseIndex(openIndexFile(from), writer));
}
