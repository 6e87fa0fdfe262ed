import { CATALOG_ROUTES } from './catalog-routes.ts';
import { INSTANCE_ROUTES } from './instance-routes.ts';
import { OPERATOR_ROUTES } from './operator-routes.ts';
import { MIGRATION_ROUTES } from './migration-routes.ts';
import { JOURNAL_ROUTES } from './journal-routes.ts';
import { PLAN_ROUTES } from './plan-routes.ts';
import { RECIPE_ROUTES } from './recipe-routes.ts';
import { UPGRADE_ROUTES } from './upgrade-routes.ts';
import type { Route } from './route.ts';

/** The whole route table. */
export const ROUTES: readonly Route[] = [
  ...CATALOG_ROUTES,
  ...INSTANCE_ROUTES,
  ...MIGRATION_ROUTES,
  ...PLAN_ROUTES,
  ...JOURNAL_ROUTES,
  ...RECIPE_ROUTES,
  ...OPERATOR_ROUTES,
  ...UPGRADE_ROUTES,
];
