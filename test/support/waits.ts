/** A wait of a test that ended well. */
export interface Wait {
  readonly what: string;
  readonly ms: number;
  /** `Silent`: the last attempt was made although no change had been told, after a pause of so many milliseconds. */
  readonly trigger: 'Changed' | 'Silent';
  readonly pause: number;
}

const waits: Wait[] = [];

export function reportWait(wait: Wait): void {
  waits.push(wait);
}

/** The waits since this was called last. */
export function takeWaits(): readonly Wait[] {
  return waits.splice(0);
}
