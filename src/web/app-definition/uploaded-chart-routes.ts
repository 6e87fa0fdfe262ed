import { Router } from 'express';
import { MAX_ARCHIVE_BYTES, UPLOADED_CHARTS } from '../../domain/app-definition/uploaded-chart.ts';
import { AppError, type ErrorCode, isAppError } from '../../domain/core/errors.ts';
import type { ListedChart } from '../../operation/app-definition/uploaded-charts.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { APP_DEFINITIONS_PATH, hrefWith, NEW_APP_DEFINITION_PATH, UPLOADED_CHARTS_PATH } from '../page/paths.ts';

/** The uploaded charts: the list, an upload, and the deletion of one. */
export function uploadedChartRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    UPLOADED_CHARTS_PATH,
    page(deps, async (visit) => await show(deps, visit, {})),
  );
  router.post(
    UPLOADED_CHARTS_PATH,
    page(deps, async (visit) => await upload(deps, visit)),
  );
  router.post(
    `${UPLOADED_CHARTS_PATH}/:id/deletion`,
    page(deps, async (visit) => {
      const { actor, param, requestOrigin } = visit;
      try {
        await deps.operations.deleteUploadedChart(actor, { id: param('id'), ...requestOrigin });
      } catch (error) {
        if (!isAppError(error, 'ChartInUse')) throw error;
        return await show(deps, visit, { message: error.message, status: error.status });
      }
      return { redirect: hrefWith(UPLOADED_CHARTS_PATH, { deleted: param('id') }) };
    }),
  );
  return router;
}

/** What is said on the page, and not on a page of errors. */
const FAULTS: readonly ErrorCode[] = [
  'ChartInvalid',
  'ChartTooLarge',
  'ChartCacheFull',
  'TooLarge',
  'AlreadyExists',
  'InvalidInput',
  'LimitReached',
];

async function upload(deps: WebDeps, visit: Visit): Promise<Answer> {
  const { actor, upload: file, requestOrigin } = visit;
  try {
    if (file === undefined || file.bytes.length === 0) throw new AppError('InvalidInput', 'Select the archive of a chart (.tgz)');
    if (file.truncated) throw new AppError('TooLarge', `The file is larger than ${MAX_ARCHIVE_BYTES / 1024} KiB: push it to a registry`);
    const { id } = await deps.operations.uploadChart(actor, { bytes: file.bytes, ...requestOrigin });
    return { redirect: hrefWith(UPLOADED_CHARTS_PATH, { uploaded: id }) };
  } catch (error) {
    if (!isAppError(error, ...FAULTS)) throw error;
    return await show(deps, visit, { fault: error.message, status: 422 });
  }
}

interface Outcome {
  /** Of the file. */
  readonly fault?: string;
  /** Of a deletion. */
  readonly message?: string;
  readonly status?: number;
}

async function show({ operations }: WebDeps, { actor, query }: Visit, { fault = '', message = '', status }: Outcome): Promise<Answer> {
  const charts = await operations.listUploadedCharts(actor);
  const known = (name: string): string => charts.find(({ id }) => id === query.get(name))?.id ?? '';
  const model: UploadedChartsPage = {
    action: UPLOADED_CHARTS_PATH,
    rows: charts.map(rowOf),
    fault,
    message,
    errors: fault === '' ? [] : [{ message: fault, href: '#archive' }],
    uploaded: known('uploaded'),
    deleted: query.has('deleted'),
    largest: `${MAX_ARCHIVE_BYTES / 1024 / 1024} MiB`,
  };
  return {
    view: 'app-definitions/charts',
    title: `${fault === '' ? '' : 'Error: '}Uploaded charts`,
    section: 'appDefinitions',
    crumbs: [{ label: 'App definitions', href: APP_DEFINITIONS_PATH }, { label: 'Uploaded charts' }],
    model,
    ...(status === undefined ? {} : { status }),
  };
}

/** A view of `app-definitions/charts`. */
interface UploadedChartsPage {
  readonly action: string;
  readonly rows: readonly ChartRow[];
  readonly fault: string;
  readonly message: string;
  readonly errors: readonly { readonly message: string; readonly href: string }[];
  /** The id of the chart that was just uploaded; empty: none. */
  readonly uploaded: string;
  readonly deleted: boolean;
  readonly largest: string;
}

interface ChartRow {
  readonly name: string;
  readonly version: string;
  readonly address: string;
  readonly size: string;
  readonly created: string;
  readonly usedBy: string;
  /** Where an AppDefinition is made of it. */
  readonly offerHref: string;
  readonly deleteAction: string;
}

function rowOf({ id, name, version, address, size, created, usedBy }: ListedChart): ChartRow {
  return {
    name,
    version,
    address,
    size: `${Math.ceil(size / 1024)} KiB`,
    created,
    usedBy: usedBy.join(', '),
    offerHref: hrefWith(NEW_APP_DEFINITION_PATH, { repoURL: UPLOADED_CHARTS, name, version }),
    deleteAction: `${UPLOADED_CHARTS_PATH}/${encodeURIComponent(id)}/deletion`,
  };
}
