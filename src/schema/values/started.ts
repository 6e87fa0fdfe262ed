/** What the thread says before it looks at anything. */
export const STARTED = 'started';
