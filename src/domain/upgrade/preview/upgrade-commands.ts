import { stringifyJson } from '../../core/exact-json.ts';
import { quoted } from '../../instance/instance-commands.ts';
import type { LabelledCommand } from '../../operator/operator-commands.ts';
import type { JsonObject } from '../../kubernetes/resource.ts';
import { APPROVED_UPGRADE, approvalText } from '../upgrade-approval.ts';
import type { UpgradePreview } from './upgrade-preview.ts';

export interface UpgradeCommandInput extends Pick<UpgradePreview, 'namespace' | 'name' | 'to' | 'timing'> {
  /** What was decided about values of the Operator, and the merge patch of `spec.values` that it comes to; neither with secrets. */
  readonly proposedValues?: JsonObject | undefined;
  readonly decided?: { readonly patch: JsonObject; readonly decisions: Readonly<Record<string, string>> } | undefined;
}

/** What the page of an upgrade does, as kubectl and curl do it. */
export function upgradeCommands(input: UpgradeCommandInput, publicUrl: string): LabelledCommand[] {
  const { namespace, name, to, timing, proposedValues, decided } = input;
  const address = `${publicUrl}/api/v1/operators/${namespace}/${name}`;
  const preview = {
    label: 'This preview with curl',
    text: [`${CURL} ${quoted(`${address}/preview?version=${encodeURIComponent(to.version)}`)}`, TOKEN].join(' \\\n'),
  };
  if (proposedValues !== undefined) {
    const patch = stringifyJson({ spec: { values: proposedValues } });
    return [
      { label: 'Write these values with kubectl', text: `kubectl patch ${targetOf(input)} --type merge --patch ${quoted(patch)}` },
      { label: 'This preview with curl', text: posting(`${address}/preview`, { version: to.version, values: proposedValues }) },
    ];
  }
  if (timing.step === 'Pinned') {
    const patch = stringifyJson({ spec: { chart: { version: to.version }, ...valuesOf(decided) } });
    return [{ label: 'Move there with kubectl', text: `kubectl patch ${targetOf(input)} --type merge --patch ${quoted(patch)}` }, preview];
  }
  if (timing.step !== 'AwaitingApproval') return decided === undefined ? [preview] : [valuesByKubectl(input), preview];
  return [approvalByKubectl(input), approvalByCurl(input, address), preview];
}

const CURL = 'curl --fail-with-body';
const TOKEN = '  -H "Authorization: Bearer $TOKEN"';

function approvalByKubectl(input: UpgradeCommandInput): LabelledCommand {
  const { to, decided } = input;
  const approval = approvalText(to);
  if (decided === undefined) {
    const text = `kubectl annotate ${targetOf(input)} --overwrite ${quoted(`${APPROVED_UPGRADE}=${approval}`)}`;
    return { label: 'Approve exactly this chart with kubectl', text };
  }
  const patch = stringifyJson({ metadata: { annotations: { [APPROVED_UPGRADE]: approval } }, spec: valuesOf(decided) });
  const label = 'Approve exactly this chart and change the values with kubectl';
  return { label, text: `kubectl patch ${targetOf(input)} --type merge --patch ${quoted(patch)}` };
}

/** Where nobody has to approve anything, the values can be changed ahead. */
function valuesByKubectl(input: UpgradeCommandInput): LabelledCommand {
  const patch = stringifyJson({ spec: valuesOf(input.decided) });
  return { label: 'Change the values with kubectl', text: `kubectl patch ${targetOf(input)} --type merge --patch ${quoted(patch)}` };
}

function approvalByCurl({ to, decided }: UpgradeCommandInput, address: string): LabelledCommand {
  const decisions = decided === undefined ? {} : { decisions: decided.decisions };
  return { label: 'Approve it with curl', text: posting(`${address}/approval`, { version: to.version, digest: to.digest, ...decisions }) };
}

function posting(url: string, body: object): string {
  return [`${CURL} -X POST ${quoted(url)}`, TOKEN, `  -H 'Content-Type: application/json'`, `  -d ${quoted(stringifyJson(body))}`].join(
    ' \\\n',
  );
}

function targetOf({ namespace, name }: UpgradeCommandInput): string {
  return `kop ${name} --namespace ${namespace}`;
}

function valuesOf(decided: UpgradeCommandInput['decided']): { readonly values?: JsonObject } {
  return decided === undefined || Object.keys(decided.patch).length === 0 ? {} : { values: decided.patch };
}
