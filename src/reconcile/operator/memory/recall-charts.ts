import type { ChartSource } from '../../../domain/operator/operator-spec.ts';
import type { Chart, ChartPort } from '../ports.ts';

/** Runs a task that asks the host of a chart source, when it is its turn. */
export type Lane = <T>(source: ChartSource, signal: AbortSignal, task: () => Promise<T>) => Promise<T>;

/** Asks for charts on behalf of Operators, each of which asks for the same ones again and again. */
export interface ChartRecall {
  /**
   * For one look at an Operator: what a chart's server says, a refusal too, holds for the whole look. The library is told which chart the Operator got
   * earlier, unless it wishes for something else now, or somebody asks.
   *
   * @param wish another text whenever the spec or an annotation is another.
   * @param lane runs what asks a server, which may take long; by default at once.
   */
  forLook(key: string, wish: string, lane?: Lane): ChartPort;
  forget(key: string): void;
}

export function recallCharts(charts: ChartPort): ChartRecall {
  const recalled = new Map<string, { readonly wish: string; readonly charts: Map<string, Chart> }>();
  const recall = (key: string, wish: string): Map<string, Chart> => {
    const known = recalled.get(key);
    if (known?.wish === wish) return known.charts;
    const fresh = new Map<string, Chart>();
    recalled.set(key, { wish, charts: fresh });
    return fresh;
  };
  return {
    forLook: (key, wish, lane = atOnce) => {
      const once = askOnce();
      const earlier = recall(key, wish);
      return {
        ...charts,
        fetch: (source, signal, access) => {
          const question = JSON.stringify(['fetch', source, access]);
          return once(question, async () => {
            const known = earlier.get(question);
            const fetched = await lane(source, signal, async () => await charts.fetch(source, signal, access, known));
            if (fetched === known) return known;
            const chart = lean(fetched);
            earlier.set(question, chart);
            return chart;
          });
        },
        versions: (source, signal, access) =>
          once(JSON.stringify(['versions', source, access]), () =>
            lane(source, signal, async () => await charts.versions(source, signal, access)),
          ),
      };
    },
    forget: (key) => void recalled.delete(key),
  };
}

async function atOnce<T>(_source: ChartSource, _signal: AbortSignal, task: () => Promise<T>): Promise<T> {
  return await task();
}

function askOnce(): <T>(question: string, ask: () => Promise<T>) => Promise<T> {
  const known = new Map<string, Promise<unknown>>();
  return <T>(question: string, ask: () => Promise<T>): Promise<T> => {
    const answer = (known.get(question) as Promise<T> | undefined) ?? ask();
    known.set(question, answer);
    return answer;
  };
}

/** There are many Operators and their definitions are large; of those in `crds/`, only the names are asked for. */
function lean({ contents: { metadata, crds, openApiSpec }, ...chart }: Chart): Chart {
  const named = crds.map(({ apiVersion, kind, metadata: { name } }) => ({ apiVersion, kind, metadata: { name } }));
  return { ...chart, contents: { metadata, crds: named, ...(openApiSpec === undefined ? {} : { openApiSpec }) } };
}
