import { ACCESS_TOKEN_ROUTES } from './access-token/access-token-routes.ts';
import { REGISTRATION_TOKEN_ROUTES } from './access-token/registration-token-routes.ts';
import { APP_DEFINITION_ROUTES } from './app-definition/app-definition-routes.ts';
import { CATALOG_ROUTES } from './catalog/catalog-routes.ts';
import { DESCRIPTION_ROUTES } from './catalog/description-routes.ts';
import { CONNECTION_ROUTES } from './connection/connection-routes.ts';
import { DELETED_INSTANCE_ROUTES } from './instance/deleted-routes.ts';
import { INSTANCE_ROUTES, MIGRATION_ROUTES } from './instance/instance-routes.ts';
import { COPY_ROUTES, REVISION_ROUTES } from './instance/revision-routes.ts';
import { OPERATOR_ROUTES } from './operator/operator-routes.ts';
import { AUDIT_ROUTES } from './audit/audit-routes.ts';
import { CHANGE_REQUEST_ROUTES } from './change-request/change-request-routes.ts';
import { SAVED_CONFIGURATION_ROUTES } from './saved-configuration/saved-configuration-routes.ts';
import { RELEASE_ROUTES } from './release/release-routes.ts';
import { KEEP_ROUTES } from './keep-routes.ts';
import { SOURCE_ROUTES } from './source/source-routes.ts';
import { UPGRADE_ROUTES } from './upgrade/upgrade-routes.ts';
import { TIMELINE_ROUTES } from './timeline/timeline-routes.ts';
import { DEPLOYMENT_ROUTES } from './environment/deployment-routes.ts';
import { BOARD_ROUTES, ENVIRONMENT_RESOURCE_ROUTES } from './environment/environment-routes.ts';
import { ENVIRONMENT_ROUTES } from './environment/write-routes.ts';
import { METRICS_ROUTES } from './monitoring/metrics-routes.ts';
import { RESOURCE_ROUTES } from './resource/resource-routes.ts';
import { KUBECTL_ROUTES } from './kubectl/kubectl-routes.ts';
import { PERMISSION_ROUTES } from './permission/permission-routes.ts';
import { PROPOSAL_ROUTES } from './proposal/proposal-routes.ts';
import type { Route } from './route.ts';

/** The whole route table. */
export const ROUTES: readonly Route[] = [
  ...CATALOG_ROUTES,
  ...DESCRIPTION_ROUTES,
  ...ENVIRONMENT_ROUTES,
  ...ENVIRONMENT_RESOURCE_ROUTES,
  ...BOARD_ROUTES,
  ...DEPLOYMENT_ROUTES,
  ...PERMISSION_ROUTES,
  ...ACCESS_TOKEN_ROUTES,
  ...REGISTRATION_TOKEN_ROUTES,
  ...KUBECTL_ROUTES,
  ...RESOURCE_ROUTES,
  ...TIMELINE_ROUTES,
  ...INSTANCE_ROUTES,
  ...CONNECTION_ROUTES,
  ...MIGRATION_ROUTES,
  ...REVISION_ROUTES,
  ...DELETED_INSTANCE_ROUTES,
  ...COPY_ROUTES,
  ...CHANGE_REQUEST_ROUTES,
  ...PROPOSAL_ROUTES,
  ...AUDIT_ROUTES,
  ...SAVED_CONFIGURATION_ROUTES,
  ...OPERATOR_ROUTES,
  ...APP_DEFINITION_ROUTES,
  ...SOURCE_ROUTES,
  ...KEEP_ROUTES,
  ...RELEASE_ROUTES,
  ...UPGRADE_ROUTES,
  ...METRICS_ROUTES,
];
