/** What stands in YAML and in fields for a secret of the live object, whose value must not be shown; the group is the secret's path. */
export const STAND_IN = /^<kept: (.{1,1000})>$/;
