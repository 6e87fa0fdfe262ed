import { AsyncLocalStorage } from 'node:async_hooks';
import { type Logger, pino } from 'pino';
import { escapeControls, escapeJson } from '../domain/audit/escape-controls.ts';
import { stringifyJson } from '../domain/core/exact-json.ts';

/** Keys of a log line. Values that come from Secrets go through `secret()`. */
export type LogKeys = Readonly<Record<string, unknown>>;

/** Writes lines of a constant message and keys. `err` is the key of a thrown thing. */
export interface Log {
  debug(message: string, keys?: LogKeys): void;
  info(message: string, keys?: LogKeys): void;
  warn(message: string, keys?: LogKeys): void;
  error(message: string, keys?: LogKeys): void;
  /** A log whose lines all carry these keys. */
  child(keys: LogKeys): Log;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LogOptions {
  readonly level: LogLevel;
  /** `lines` for people at a terminal, `json` for collectors. */
  readonly format: 'lines' | 'json';
  /** Where the text goes; each call is one line. */
  readonly write: (text: string) => void;
}

/** Makes a log on pino. Characters that a terminal would obey, or that hide text, are written out. */
export function createLog(options: LogOptions): Log {
  const { format } = options;
  const write = (text: string): void => options.write(format === 'json' ? escapeJson(text) : humanLine(text));
  return logOn(
    pino(
      {
        level: options.level,
        base: null,
        mixin: requestKeys,
        timestamp: () => `,"time":"${new Date().toISOString()}"`,
        formatters: { level: (label) => ({ level: label }) },
      },
      { write },
    ),
  );
}

function requestKeys(): LogKeys {
  const requestId = currentRequestId();
  return requestId === undefined ? {} : { requestId };
}

function logOn(logger: Logger): Log {
  return {
    debug: (message, keys = {}) => logger.debug(keys, message),
    info: (message, keys = {}) => logger.info(keys, message),
    warn: (message, keys = {}) => logger.warn(keys, message),
    error: (message, keys = {}) => logger.error(keys, message),
    child: (keys) => logOn(logger.child(keys)),
  };
}

/** `12:30:01 warn  The api-server does not answer  cluster=demo`: what pino wrote as JSON, for people. */
function humanLine(json: string): string {
  const { time, level, msg, err, ...keys } = JSON.parse(json) as Record<string, unknown>;
  const pairs = Object.entries(keys).map(([key, value]) => `${key}=${typeof value === 'string' ? value : stringifyJson(value)}`);
  const thrown = typeof err === 'object' && err !== null && 'message' in err ? [`(${String(err.message)})`] : [];
  const clock = typeof time === 'string' ? time.slice(11, 19) : '';
  const line = [clock, String(level).padEnd(5), String(msg), ...thrown, ...pairs].join(' ').replaceAll(/[\r\n\t]+/g, ' ');
  return `${escapeControls(line)}\n`;
}

const requests = new AsyncLocalStorage<string>();

/** Answers a request: its id is in every line that is logged meanwhile, and in the api-server's audit log as the `Audit-ID` of calls that it takes. */
export function withRequestId<T>(id: string, answer: () => T): T {
  return requests.run(id, answer);
}

/** What runs on after the answer is no part of the request. */
export function withoutRequestId<T>(task: () => T): T {
  return requests.exit(task);
}

/** The id of the request that the code that runs answers; undefined where that is none, as in controllers. */
export function currentRequestId(): string | undefined {
  return requests.getStore();
}
