/** A log of JSON lines: a constant message and keys. */
export interface Log {
  info(message: string, keys?: Readonly<Record<string, unknown>>): void;
  warn(message: string, keys?: Readonly<Record<string, unknown>>): void;
  error(message: string, keys?: Readonly<Record<string, unknown>>): void;
}

/** @param write Takes one line without its end. */
export function createLog(name: string, write: (line: string) => void): Log {
  const at =
    (level: string) =>
    (message: string, keys: Readonly<Record<string, unknown>> = {}): void => {
      write(JSON.stringify({ time: new Date().toISOString(), level, name, message, ...keys }));
    };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

/** What went wrong, with its cause: undici says only "fetch failed" otherwise. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
