/** One object of the release that changes. */
export interface ObjectChange {
  /** `Deployment`, without its group. */
  readonly kind: string;
  readonly apiVersion: string;
  readonly namespace?: string;
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Only labels of the object itself change. */
  readonly labelsOnly: boolean;
  /** Its pods are replaced. */
  readonly restarts: boolean;
  /** Lines of YAML that begin with `+`, `-` or a blank, and `@@` lines between them. */
  readonly lines: readonly string[];
  /** How many lines were cut. */
  readonly omittedLines: number;
}

export interface PreviewedObjects {
  readonly changes: readonly ObjectChange[];
  readonly unchanged: number;
  /** How many changed objects are not listed. */
  readonly omitted: number;
}
