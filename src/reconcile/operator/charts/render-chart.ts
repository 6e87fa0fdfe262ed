import type { RenderedChart, RenderFault } from '../../../domain/chart/rendered-chart.ts';
import { AppError } from '../../../domain/core/errors.ts';
import type { DeployVerb, Target } from '../state.ts';
import type { Work } from '../work.ts';

const SUBJECTS: Readonly<Record<RenderFault['code'], string>> = {
  ValuesInvalid: 'values: ',
  HelmFailed: '',
  InvalidInput: '',
  ObjectReserved: 'chart: ',
  UpliftFailed: 'uplift: ',
};

/**
 * Renders the chart of an Operator for this cluster.
 *
 * @throws AppError with the code of the first fault, and all messages of that code.
 */
export async function renderChart(work: Work, { chart, values: { values, secrets } }: Target, verb: DeployVerb): Promise<RenderedChart> {
  const { ports, spec, release, label, signal } = work;
  // A remembered chart has no schema, so it is read from the archive.
  const contents = await ports.charts.contents(chart.digest);
  if (contents === undefined)
    throw new AppError('ChartUnreachable', 'chart: its file is missing in the chart cache; Chandlery fetches it again');
  const action = verb === 'install' ? 'install' : 'upgrade';
  const how = { action, legacyAPIs: spec.legacyAPIs, label, invalidValues: 'Stop' } as const;
  const input = { chart: { ...chart, contents }, values, secrets, ...release, ...how };
  const rendered = await ports.renderChart(input, signal);
  for (const sentence of rendered.unchecked) ports.log.warn(sentence, { chart: chart.digest });
  const [first] = rendered.faults;
  if (first === undefined) return rendered;
  const messages = rendered.faults.filter(({ code }) => code === first.code).map(({ message }) => message);
  throw new AppError(first.code, `${SUBJECTS[first.code]}${messages.join('; ')}`);
}
