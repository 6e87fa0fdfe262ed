import type { Preflight } from '../../domain/instance/instance.ts';
import type { Finding } from '../../domain/preflight/findings.ts';
import { findingsView, type FindingsView } from '../page/findings-view.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import { missingSentence } from '../page/message-page.ts';
import type { FileAnswer, Visit, WebDeps } from '../page/page.ts';
import { type ProposePart, proposePart } from '../proposal/proposal-routes.ts';
import type { InstanceOwner } from '../../operation/proposal/show-owner.ts';
import type { ReviewYaml } from './review-yaml.ts';
import { objectsView, type ObjectsView } from '../page/objects-view.ts';
import type { ValueChangesView } from '../page/value-changes-view.ts';

/** A view of `parts/review`: what would happen, and the same for automation. */
export interface Review {
  readonly ready: boolean;
  readonly findings: FindingsView;
  /** What would grant the missing permissions. */
  readonly remedies: readonly { readonly role: string; readonly yaml: string; readonly kubectl: string }[];
  readonly changes: ValueChangesView;
  /** Of an instance of a chart. A view of `parts/release-objects`. */
  readonly release?: ReleaseObjectsView;
  /** What a whole resource in the YAML says and what is not taken over: `metadata.labels`. */
  readonly leftOut: readonly string[];
  readonly commands: readonly { readonly label: string; readonly text: string }[];
  /** Where the file could lie in a repository. */
  readonly file: string;
  /** A view of `parts/ask` but its verb. */
  readonly ask: { readonly lacking: boolean; readonly message: string };
  /** Absent where no source can hold the resource. */
  readonly propose?: ProposePart;
  /** What the form held, sealed, so that nothing is lost on the way back. */
  readonly kept: readonly { readonly name: string; readonly value: string }[];
  /** The inputs of values that are in no page, and have to be typed where they are sent. */
  readonly secrets: readonly { readonly id: string; readonly name: string; readonly label: string }[];
}

interface ReleaseObjectsView extends ObjectsView {
  readonly title: string;
  readonly images: readonly {
    readonly registry: string;
    readonly repository: string;
    /** Empty without one, as is the digest. */
    readonly tag: string;
    readonly digest: string;
    readonly usedBy: string;
    /** The images of the chart, where a rewrite made this one of them; empty otherwise. */
    readonly rewrittenFrom: string;
  }[];
}

/**
 * @param changes what differs, field by field; the sentences about it are left out then.
 * @param typed what `readReviewYaml` found; by default nothing.
 */
export function reviewOf(
  preflight: Preflight,
  { body, kept, owner }: { readonly body: URLSearchParams; readonly kept: Review['kept']; readonly owner?: InstanceOwner },
  { changes, typed = { leftOut: [] } }: { readonly changes: ValueChangesView; readonly typed?: ReviewYaml },
): Review {
  const { verdict, missing, findings, commands } = preflight;
  const lacking = missing.map((permission): Finding => ({
    message: missingSentence(permission),
    subject: 'Permission',
    evidence: 'exact',
  }));
  // What a permission does not help with, such as an app that the environment does not allow.
  const others = findings.blocked.filter(({ subject }) => subject !== 'Permission');
  const blocked = lacking.length > 0 ? [...lacking, ...others] : findings.blocked;
  return {
    ready: verdict === 'Ready',
    findings: findingsView({ ...findings, changed: [], blocked }),
    remedies: remediesOf(preflight),
    changes,
    ...releasePart(preflight),
    leftOut: typed.leftOut,
    commands: [
      ...(typed.commented === undefined ? [] : [{ label: 'A file for git, with your comments', text: typed.commented }]),
      { label: 'Resource to apply', text: commands.yaml },
      { label: 'With kubectl', text: commands.kubectl },
      { label: 'With curl', text: commands.curl },
    ],
    file: commands.file,
    ask: { lacking: missing.length > 0 && others.length === 0 && owner?.owner === undefined, message: body.get('_message') ?? '' },
    ...(owner === undefined ? {} : proposePart(owner, body)),
    kept,
    secrets: [...body].filter(([name, how]) => name.startsWith('m.') && how === 'type').map(([name]) => secretInput(name.slice(2), body)),
  };
}

function releasePart({ objects, images = [] }: Preflight): Pick<Review, 'release'> {
  if (objects === undefined) return {};
  const isNew = objects.unchanged === 0 && objects.changes.every(({ change }) => change === 'added');
  const rows = images.map(({ registry, repository, tag = '', digest = '', usedBy, rewrittenFrom = [] }) => {
    return { registry, repository, tag, digest, usedBy: usedBy.join(', '), rewrittenFrom: rewrittenFrom.join(', ') };
  });
  return { release: { title: isNew ? 'Objects of the release' : 'Changes in the release', ...objectsView(objects), images: rows } };
}

function secretInput(path: string, body: URLSearchParams): Review['secrets'][number] {
  return { id: `secret-${path}`, name: `w.${path}`, label: `Value of the new Secret ${body.get(`v.${path}`) ?? ''}` };
}

/** The YAML that was typed, now or before it became a form; empty without any. */
function yamlIn(body: URLSearchParams): string {
  return (body.get('y.') ?? body.get('c.') ?? '').replaceAll('\r\n', '\n');
}

/** What the YAML in the form means for its review. */
export async function readReviewYaml({ commands }: Pick<Preflight, 'commands'>, body: URLSearchParams): Promise<ReviewYaml> {
  return await runFormJob('reviewYaml', yamlIn(body), commands.yaml);
}

/** The file of a review as a download, named after the App and the Instance. */
export function fileAnswer({ commands, object }: Pick<Preflight, 'commands' | 'object'>, { commented }: ReviewYaml): FileAnswer {
  const [first = '', second = ''] = commands.file.split('/');
  const plural = object.metadata.namespace === undefined ? first : second;
  return { fileName: `${plural}-${object.metadata.name}.yaml`, type: 'text/yaml', text: commented ?? commands.yaml };
}

/** The inputs of a form that another page carries along: sealed, because some may be passwords. */
export function hiddenInputs({ seal }: Pick<WebDeps, 'seal'>, { actor, body }: Pick<Visit, 'actor' | 'body'>): Review['kept'] {
  const kept = [...body].filter(([name]) => !/^(_|w\.)/.test(name)).map(([name, value]) => ({ name, value }));
  return seal.seal(actor.user, kept);
}

/** The grants of a preflight, as pages show them. */
export function remediesOf({ remedies }: Pick<Preflight, 'remedies'>): Review['remedies'] {
  return remedies.map(({ role, yaml, kubectl }) => ({ role, yaml, kubectl }));
}

/**
 * Whether somebody should look before they write: the cluster would take it, and yet pods or volumes would not come up, or something of their YAML
 * is not taken over. The form of a review says that they have looked.
 */
export function wantsReview({ findings }: Pick<Preflight, 'findings'>, body: URLSearchParams, { leftOut }: ReviewYaml): boolean {
  const stands = findings.warned.some(({ subject }) => ['Quota', 'LimitRange', 'Class', 'Node', 'PodSecurity'].includes(subject));
  return (stands || leftOut.length > 0) && body.get('_reviewed') !== '1';
}
