import { numberAt, textAt } from '../domain/core/read.ts';
import { MAX_LINES, type LogQuery } from '../operation/instance/show-logs.ts';
import type { Call, Route } from './route.ts';

const DEFAULT_LINES = 200;

/** The query parameters of logs. */
export const LOG_QUERY: NonNullable<Route['query']> = {
  pod: { type: 'string', default: '', maxLength: 253, description: 'A pod; by default all' },
  container: { type: 'string', default: '', maxLength: 63, description: 'A container; by default all but init containers' },
  previous: { type: 'boolean', default: false, description: 'The run before the last restart' },
  lines: { type: 'integer', default: DEFAULT_LINES, minimum: 1, maximum: MAX_LINES, description: 'Lines at most' },
  search: { type: 'string', default: '', maxLength: 200, description: 'What a line must contain, in any letter case' },
};

/** What the parameters ask for. */
export function logQueryOf(query: Call['query']): LogQuery {
  return {
    pod: textAt(query, 'pod') ?? '',
    container: textAt(query, 'container') ?? '',
    previous: query['previous'] === true,
    lines: numberAt(query, 'lines') ?? DEFAULT_LINES,
    search: textAt(query, 'search') ?? '',
  };
}
