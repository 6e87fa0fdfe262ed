/**
 * What can become of a field of given values when the schema under them changes: it is gone; gone, with another one that looks like it; it must be set now;
 * its default is another one; its type is; it may hold less.
 */
export const MIGRATION_CHANGES = ['removed', 'renamed', 'required', 'default', 'type', 'narrowed'] as const;
export type MigrationChange = (typeof MIGRATION_CHANGES)[number];
