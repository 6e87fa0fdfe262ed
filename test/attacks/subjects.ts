import type { Subject } from './attack.ts';
import { attacks as accessTokens } from './access-tokens.ts';
import { attacks as allowedApps } from './allowed-apps.ts';
import { attacks as appRoles } from './app-roles.ts';
import { attacks as changeRequests } from './change-requests.ts';
import { attacks as charts } from './charts.ts';
import { attacks as crds } from './crds.ts';
import { attacks as credentials } from './credentials.ts';
import { attacks as deputies } from './deputies.ts';
import { attacks as releaseRecords } from './release-records.ts';
import { attacks as sources } from './sources.ts';
import { attacks as egress } from './egress.ts';
import { attacks as lostCrds } from './lost-crds.ts';
import { attacks as forms } from './forms.ts';
import { attacks as http } from './http.ts';
import { attacks as identities } from './identities.ts';
import { attacks as matrix, report as matrixReport } from './matrix.ts';
import { attacks as namespaces } from './namespaces.ts';
import { attacks as audit } from './audit.ts';
import { attacks as streams } from './streams.ts';
import { attacks as tokens } from './tokens.ts';
import { attacks as work } from './work.ts';
import { attacks as roles, report as rolesReport } from './roles.ts';
import { attacks as secrets } from './secrets.ts';
import { attacks as largestBodies, report } from './largest-bodies.ts';

/** Every part of the product that is attacked, in the order of the table. */
export const SUBJECTS: readonly Subject[] = [
  { name: 'credentials', attacks: credentials },
  { name: 'charts', attacks: charts },
  { name: 'egress', attacks: egress },
  { name: 'crds', attacks: crds },
  { name: 'lost-crds', attacks: lostCrds },
  { name: 'http', attacks: http },
  { name: 'identities', attacks: identities },
  { name: 'release-records', attacks: releaseRecords },
  { name: 'deputies', attacks: deputies },
  { name: 'namespaces', attacks: namespaces },
  { name: 'allowed-apps', attacks: allowedApps },
  { name: 'app-roles', attacks: appRoles },
  { name: 'change-requests', attacks: changeRequests },
  { name: 'tokens', attacks: tokens },
  { name: 'access-tokens', attacks: accessTokens },
  { name: 'streams', attacks: streams },
  { name: 'audit', attacks: audit },
  { name: 'work', attacks: work },
  { name: 'forms', attacks: forms },
  { name: 'largest-bodies', attacks: largestBodies, report },
  { name: 'roles', attacks: roles, report: rolesReport },
  { name: 'matrix', attacks: matrix, report: matrixReport },
  { name: 'sources', attacks: sources },
  { name: 'secrets', attacks: secrets },
];
