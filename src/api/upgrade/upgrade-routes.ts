import { at, isObject, textAt } from '../../domain/core/read.ts';
import type { OperatorAddress } from '../../operation/operator/find-operator.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import type { Decisions } from '../../form/migration/decide-migration.ts';
import type { Call, Route } from '../route.ts';
import { ref } from '../schemas.ts';

/** Routes of upgrade previews and approvals. */
export const UPGRADE_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/operators/{namespace}/{name}/upgrade-preview',
    operationId: 'previewUpgrade',
    summary: 'Preview the upgrade to another version of the chart (admins)',
    tag: 'Admin',
    query: {
      version: { type: 'string', default: '', description: 'By default the pending version, or the newest one of the channel' },
    },
    replies: { 200: { description: 'The preview', schema: ref('UpgradePreview') } },
    handle: async ({ operations, actor, params, query }) => {
      const preview = await operations.previewUpgrade(actor, { ...addressOf(params), version: textAt(query, 'version') ?? '' });
      return { status: 200, body: preview };
    },
  },
  {
    method: 'post',
    path: '/operators/{namespace}/{name}/upgrade-preview',
    operationId: 'previewUpgradeWithValues',
    summary: 'Preview the upgrade with decisions about values of the operator, or with other values. Writes nothing (admins)',
    tag: 'Admin',
    body: ref('UpgradePreviewRequest'),
    replies: { 200: { description: 'The preview', schema: ref('UpgradePreview') } },
    handle: async ({ operations, actor, params, body }) => {
      const values = at(body, 'values');
      const tried = isObject(values) ? { values: values as JsonObject } : {};
      const asked = { ...addressOf(params), version: textAt(body, 'version') ?? '', ...decisionsIn(body), ...tried };
      return { status: 200, body: await operations.previewUpgrade(actor, asked) };
    },
  },
  {
    method: 'post',
    path: '/operators/{namespace}/{name}/approval',
    operationId: 'approveUpgrade',
    etag: 'strong',
    summary: 'Approve a newer version, which the controller then installs (admins)',
    tag: 'Admin',
    body: ref('Approval'),
    replies: { 202: { description: 'The approval is accepted; Location is the operator', schema: ref('Operator') } },
    handle: async ({ operations, actor, params, body, preconditions, requestOrigin }) => {
      const address = addressOf(params);
      const approval = { version: textAt(body, 'version') ?? '', digest: textAt(body, 'digest') ?? '', ...decisionsIn(body) };
      const operator = await operations.approveUpgrade(actor, { ...address, ...approval, preconditions, ...requestOrigin });
      const location = `/api/v1/operators/${encodeURIComponent(address.namespace)}/${encodeURIComponent(address.name)}`;
      return { status: 202, location, body: operator };
    },
  },
];

function decisionsIn(body: unknown): { readonly decisions?: Decisions } {
  const decisions = at(body, 'decisions');
  return isObject(decisions) ? { decisions: decisions as Decisions } : {};
}

function addressOf(params: Call['params']): OperatorAddress {
  return { namespace: params['namespace'] ?? '', name: params['name'] ?? '' };
}
