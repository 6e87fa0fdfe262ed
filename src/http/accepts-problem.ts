import type { Request } from 'express';

/** Whether the caller is a program: it asks the API, or wants anything rather than a page. */
export function acceptsProblem(req: Request): boolean {
  const path = req.originalUrl.split('?')[0] ?? '';
  return path === '/api' || path.startsWith('/api/') || req.accepts(['html', 'json']) !== 'html';
}
