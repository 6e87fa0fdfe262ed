import { AppError, type ErrorCode, type ErrorDetails } from '../domain/core/errors.ts';

/** An error that trying again does not change: only a change of the world does. The reconciler has said so in the resource's conditions. */
export class TerminalError extends AppError {
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(code, message, details);
    this.name = 'TerminalError';
  }
}
