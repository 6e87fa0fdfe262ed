/** An answer of the api-server that is not a success. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The `reason` of the Status object, for example `AlreadyExists`. */
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** Reads the Status object of an answer; anything else becomes a plain sentence. */
export function apiErrorOf(status: number, body: string): ApiError {
  try {
    const { reason, message } = JSON.parse(body) as { readonly reason?: string; readonly message?: string };
    return new ApiError(status, reason ?? 'Unknown', message ?? `The api-server answered ${status}`);
  } catch {
    return new ApiError(status, 'Unknown', `The api-server answered ${status}: ${body.slice(0, 200)}`);
  }
}
