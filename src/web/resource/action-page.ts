import { quoted } from '../../domain/instance/instance-commands.ts';
import type { ResourceAction } from '../../domain/resource/resource-actions.ts';
import { MOST_REPLICAS } from '../../operation/resource/scale-resource.ts';
import type { ResourceView } from '../../operation/resource/show-resource.ts';
import { missingSentence } from '../page/message-page.ts';
import { resourcePath } from '../page/paths.ts';
import { ACTION_LABELS } from './resource-page.ts';

/** A view of `environments/resource/action`: what an action will do, and the button that does it. */
export interface ActionPage {
  readonly title: string;
  readonly question: string;
  readonly kind: string;
  readonly name: string;
  readonly environment: string;
  readonly effects: readonly string[];
  /** Why it cannot be done: the permission that is missing, or the disruption budget. */
  readonly obstacle: { readonly title: string; readonly text: string } | undefined;
  readonly action: string;
  readonly label: string;
  readonly isDanger: boolean;
  readonly specVersion: string;
  readonly replicas?: { readonly value: string; readonly most: number };
  readonly jobName?: { readonly value: string };
  readonly faults: readonly { readonly message: string; readonly href: string }[];
  readonly fault: string;
  readonly backHref: string;
  readonly commands: readonly { readonly label: string; readonly text: string }[];
}

export interface ActionPageInput {
  readonly action: ResourceAction;
  readonly resource: ResourceView;
  readonly environment: { readonly name: string; readonly displayName: string };
  readonly publicUrl: string;
  /** What a disruption budget says. */
  readonly budget?: string;
  /** What was typed, and why it did not work. */
  readonly sent?: URLSearchParams;
  readonly fault?: string;
}

const QUESTIONS: Readonly<Record<ResourceAction, (what: string) => string>> = {
  restart: (what) => `Restart ${what}?`,
  scale: (what) => `Scale ${what}`,
  run: (what) => `Run ${what} now?`,
  suspend: (what) => `Suspend ${what}?`,
  resume: (what) => `Resume ${what}?`,
  evict: (what) => `Delete the pod ${what}?`,
};

export function actionPage(input: ActionPageInput): ActionPage {
  const { action, resource, environment, sent, fault = '' } = input;
  const view = resource.actions.find((one) => one.action === action);
  const { kind, name, replicas = 0 } = resource;
  const question = QUESTIONS[action](name);
  const field = action === 'scale' ? '#replicas' : action === 'run' ? '#name' : '#confirm';
  return {
    title: question.replace(/\?$/, ''),
    question,
    kind,
    name,
    environment: environment.displayName === '' ? environment.name : environment.displayName,
    effects: view?.effects ?? [],
    obstacle: obstacleOf(input),
    action: resourcePath(environment.name, resource, action),
    label: action === 'evict' || action === 'run' ? ACTION_LABELS[action] : `${ACTION_LABELS[action]} ${name}`,
    isDanger: action === 'evict',
    specVersion: resource.specVersion,
    ...(action === 'scale' ? { replicas: { value: sent?.get('replicas') ?? String(replicas), most: MOST_REPLICAS } } : {}),
    ...(action === 'run' ? { jobName: { value: sent?.get('name') ?? '' } } : {}),
    fault,
    faults: fault === '' ? [] : [{ message: fault, href: field }],
    backHref: resourcePath(environment.name, resource),
    commands: [
      { label: 'The same with kubectl', text: view?.kubectl ?? '' },
      { label: 'The same with the REST API', text: curlOf(input) },
    ],
  };
}

function obstacleOf({ action, resource, budget }: ActionPageInput): ActionPage['obstacle'] {
  const view = resource.actions.find((one) => one.action === action);
  if (view === undefined) return { title: 'Not possible now', text: `This ${resource.kind} does not offer it in its present state.` };
  if (view.missing !== undefined) return { title: 'Permission denied', text: missingSentence(view.missing) };
  return budget === undefined ? undefined : { title: 'A disruption budget does not allow it now', text: budget };
}

const CALLS: Readonly<Record<ResourceAction, readonly [method: string, below: string]>> = {
  restart: ['POST', 'restart'],
  scale: ['PUT', 'scale'],
  run: ['POST', 'jobs'],
  suspend: ['POST', 'suspend'],
  resume: ['POST', 'resume'],
  evict: ['POST', 'eviction'],
};

function curlOf({ action, resource, environment, publicUrl }: ActionPageInput): string {
  const [method, below] = CALLS[action];
  const path = resourcePath(environment.name, resource, below);
  const body = action === 'scale' ? JSON.stringify({ replicas: resource.replicas ?? 1 }) : action === 'run' ? '{}' : undefined;
  return [
    `curl --fail-with-body -X ${method} ${quoted(`${publicUrl}/api/v1${path}`)}`,
    `  -H "Authorization: Bearer $TOKEN"`,
    ...(body === undefined ? [] : [`  -H 'Content-Type: application/json'`, `  -d ${quoted(body)}`]),
  ].join(' \\\n');
}
