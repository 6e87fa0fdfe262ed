import { csvText } from '../../domain/core/plain-text.ts';
import { textAt } from '../../domain/core/read.ts';
import { DEPLOYMENT_OUTCOMES, type DeploymentRow, type JobDeployment } from '../../domain/environment/job-deployment.ts';
import { PAGE_QUERY, pageOfItems } from '../paging.ts';
import { type Call, type CsvFile, FORMAT_QUERY, type JsonSchema, type Reply, type Route, SMALL_BODY } from '../route.ts';
import { object, pageOf, ref, text, time } from '../schema-parts.ts';

const PRINTABLE = '^[\\x21-\\x7e]*$';
const report: JsonSchema = {
  ...object(
    {
      target: {
        ...text,
        pattern: '^[a-z0-9]([a-z0-9./-]{0,315}[a-z0-9])?$',
        description: 'The app or workload: `web`, or plural, group and name: `deployments.apps/web`',
        examples: ['deployments.apps/web'],
      },
      outcome: {
        enum: [...DEPLOYMENT_OUTCOMES],
        default: 'Running',
        description: '`Running` when it starts, one of the others when it ends',
      },
      message: { ...text, maxLength: 200, pattern: '^[^\\p{Cc}\\p{Cf}]*$', description: 'A sentence about the outcome' },
      ref: { ...text, maxLength: 200, pattern: PRINTABLE, description: 'The branch or tag, where the token has none' },
      commit: { ...text, maxLength: 200, pattern: PRINTABLE, description: 'The commit, where the token has none' },
      pipelineURL: { ...text, maxLength: 500, description: 'An https URL of the pipeline, where none follows from the token' },
    },
    ['target'],
  ),
  additionalProperties: false,
};

/** What CI jobs deployed to an environment. */
export const DEPLOYMENT_ROUTES: readonly Route[] = [
  {
    method: 'get',
    path: '/environments/{environment}/deployments',
    operationId: 'listDeployments',
    summary: 'The last successful, failed and running deployment of each app and workload by CI jobs',
    tag: 'Environments',
    query: { ...PAGE_QUERY, ...FORMAT_QUERY },
    replies: {
      200: {
        description: 'A page of deployments, by target',
        schema: pageOf('TargetDeployments', { missing: { ...ref('MissingPermission'), description: 'Without it, nothing is listed' } }),
      },
    },
    handle: async (call) => await list(call),
    csv: async (call) => await file(call),
  },
  {
    method: 'post',
    path: '/environments/{environment}/deployments',
    operationId: 'reportDeployment',
    summary: 'Report the start or the outcome of a deployment that a job makes with kubectl, helm or other tools',
    tag: 'Environments',
    body: report,
    largestBody: SMALL_BODY,
    replies: { 201: { description: 'The recorded deployment', schema: ref('JobDeployment') } },
    handle: async (call) => await create(call),
  },
];

async function list({ operations, actor, params, query }: Call): Promise<Reply> {
  const { deployments, missing } = await operations.listDeployments(actor, params['environment'] ?? '');
  const page = pageOfItems(deployments, ({ target }) => target, query);
  return { status: 200, body: { ...page, ...(missing === undefined ? {} : { missing }) } };
}

async function create({ operations, actor, requestOrigin, params, body }: Call): Promise<Reply> {
  const given = ['message', 'ref', 'commit', 'pipelineURL'].flatMap((key) => {
    const value = textAt(body, key);
    return value === undefined ? [] : [[key, value] as const];
  });
  const outcome = DEPLOYMENT_OUTCOMES.find((one) => one === textAt(body, 'outcome')) ?? 'Running';
  const named = { environment: params['environment'] ?? '', target: textAt(body, 'target') ?? '', outcome };
  const deployment = await operations.reportDeployment(actor, { ...Object.fromEntries(given), ...named, ...requestOrigin });
  return { status: 201, body: deployment };
}

const COLUMNS = ['target', 'outcome', 'time', 'project', 'ref', 'commit', 'pipeline_url', 'user', 'message'] as const;

async function file({ operations, actor, params }: Call): Promise<CsvFile> {
  const { environment, deployments } = await operations.listDeployments(actor, params['environment'] ?? '');
  const rows = deployments.flatMap(deploymentsOf).map((one) => {
    const { target, outcome, time: at, project, ref: branch, commit, pipelineURL, user, message } = one;
    return [target, outcome, at, project, branch, commit, pipelineURL, user, message];
  });
  return { name: `${environment.name}-deployments`, text: csvText([COLUMNS, ...rows]) };
}

function deploymentsOf({ lastSuccessful, lastFailed, running }: DeploymentRow): readonly JobDeployment[] {
  return [lastSuccessful, lastFailed, running].filter((one) => one !== undefined);
}

/** Schemas of deployments. */
export const DEPLOYMENT_SCHEMAS = {
  JobDeployment: object({
    target: { ...text, description: 'Of an instance its app and name' },
    outcome: { enum: [...DEPLOYMENT_OUTCOMES] },
    time: { ...time, description: 'RFC 3339: when it began while it runs, else when it ended' },
    project: { ...text, description: 'From the token of the job, as ref, commit and pipelineURL; empty when unknown' },
    ref: text,
    commit: text,
    pipelineURL: { ...text, description: 'https, or empty' },
    user: { ...text, description: 'The job as the api-server sees it' },
    message: { ...text, description: 'The code of the error that stopped it, or what the job reported' },
  }),
  TargetDeployments: object(
    { target: text, running: ref('JobDeployment'), lastSuccessful: ref('JobDeployment'), lastFailed: ref('JobDeployment') },
    ['target'],
  ),
} as const satisfies Record<string, JsonSchema>;
