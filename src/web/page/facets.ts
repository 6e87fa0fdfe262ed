/** A value to filter by; a view of `parts/facet`. */
export interface FacetOption {
  readonly label: string;
  readonly href: string;
  readonly count: number;
  readonly selected: boolean;
}

export interface Facet {
  readonly label: string;
  readonly options: readonly FacetOption[];
}

interface FacetInput {
  readonly label: string;
  /** The values of each item that the other filters leave. */
  readonly values: readonly (readonly string[])[];
  readonly selected: string | undefined;
  /** The address with this value selected, or with none. */
  readonly hrefOf: (value: string | undefined) => string;
  readonly labelOf?: (value: string) => string;
  /** Values in their order; others follow, the most frequent first. */
  readonly order?: readonly string[];
}

const MAX_OPTIONS = 15;

/** How many items each value would leave; a selected value stays, so that it can be turned off. */
export function facetOf({ label, values, selected, hrefOf, labelOf = (value) => value, order = [] }: FacetInput): Facet {
  const counts = new Map<string, number>(selected === undefined ? [] : [[selected, 0]]);
  for (const value of values.flatMap((own) => [...new Set(own)])) counts.set(value, (counts.get(value) ?? 0) + 1);
  const rank = (value: string): number => (order.includes(value) ? order.indexOf(value) : order.length);
  const sorted = [...counts].sort(([a, m], [b, n]) => rank(a) - rank(b) || n - m || a.localeCompare(b));
  return {
    label,
    options: sorted
      .filter(([value], index) => value !== '' && (index < MAX_OPTIONS || value === selected))
      .map(([value, count]) => ({
        label: labelOf(value),
        count,
        selected: value === selected,
        href: hrefOf(value === selected ? undefined : value),
      })),
  };
}

/** An option of a select box. */
export interface SelectOption {
  readonly value: string;
  readonly label: string;
  readonly selected: boolean;
}

export function selectOption(value: string, label: string, chosen: string | undefined): SelectOption {
  return { value, label, selected: value === chosen };
}
