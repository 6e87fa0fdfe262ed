import { quoted } from '../instance-commands.ts';
import type { LabelledCommand } from '../operator-commands.ts';
import { APPROVED_UPGRADE, approvalText } from '../upgrade-approval.ts';
import type { UpgradePlan } from './plan.ts';

/** What the page of an upgrade does, as kubectl and curl do it. */
export function upgradeCommands(
  { namespace, name, to, timing }: Pick<UpgradePlan, 'namespace' | 'name' | 'to' | 'timing'>,
  publicUrl: string,
): LabelledCommand[] {
  const target = `kop ${name} --namespace ${namespace}`;
  const address = `${publicUrl}/api/v1/operators/${namespace}/${name}`;
  const curl = `curl --fail-with-body`;
  const token = `  -H "Authorization: Bearer $TOKEN"`;
  const plan = {
    label: 'This plan with curl',
    text: [`${curl} ${quoted(`${address}/plan?version=${encodeURIComponent(to.version)}`)}`, token].join(' \\\n'),
  };
  if (timing.step === 'Pinned') {
    const patch = JSON.stringify({ spec: { chart: { version: to.version } } });
    return [{ label: 'Move there with kubectl', text: `kubectl patch ${target} --type merge --patch ${quoted(patch)}` }, plan];
  }
  if (timing.step !== 'AwaitingApproval') return [plan];
  const body = JSON.stringify({ version: to.version, digest: to.digest });
  const approval = `${APPROVED_UPGRADE}=${approvalText(to)}`;
  return [
    { label: 'Approve exactly this chart with kubectl', text: `kubectl annotate ${target} --overwrite ${quoted(approval)}` },
    {
      label: 'Approve it with curl',
      text: [
        `${curl} -X POST ${quoted(`${address}/approval`)}`,
        token,
        `  -H 'Content-Type: application/json'`,
        `  -d ${quoted(body)}`,
      ].join(' \\\n'),
    },
    plan,
  ];
}
