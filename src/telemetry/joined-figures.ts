import { AggregatorRegistry, Registry, type RegistryContentType } from 'prom-client';

/** One figure of a family. */
export interface MetricValue {
  readonly value: number;
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly metricName?: string;
}

/** One family of figures. */
export interface MetricFamily {
  /** Ends with `_total` for a counter. */
  readonly name: string;
  readonly type?: unknown;
  /** How those of several processes are one: their sum, or the highest. */
  readonly aggregator?: string;
  readonly values: readonly MetricValue[];
}

/** The figures of several processes as those of one. Of quantiles the highest is taken: they have no sum. */
export function joinedFigures(processes: readonly (readonly MetricFamily[])[]): readonly MetricFamily[] {
  const families = new Map<string, { readonly family: MetricFamily; readonly values: Map<string, MetricValue> }>();
  for (const family of processes.flat()) {
    const known = families.get(family.name);
    const values = known?.values ?? new Map<string, MetricValue>();
    if (known === undefined) families.set(family.name, { family, values });
    for (const figure of family.values) {
      const key = JSON.stringify([figure.metricName, Object.entries(figure.labels).toSorted()]);
      const other = values.get(key);
      const isMax = family.aggregator === 'max' || 'quantile' in figure.labels;
      values.set(key, other === undefined ? figure : { ...figure, value: joined(figure.value, other.value, isMax) });
    }
  }
  return [...families.values()].map(({ family, values }) => ({ ...family, values: [...values.values()] }));
}

function joined(a: number, b: number, isMax: boolean): number {
  // A figure that one process cannot tell is no figure of the others.
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) ? b : a;
  return isMax ? Math.max(a, b) : a + b;
}

/** Joined figures in the OpenMetrics text format. */
export function textOfFigures(families: readonly MetricFamily[]): Promise<string> {
  // The registry puts the ending of counters behind what it prints.
  const printed = families.map((family) =>
    family.type === 'counter' ? { ...family, name: family.name.replace(/_total$/, '') } : family,
  );
  const registry: Registry<RegistryContentType> = AggregatorRegistry.aggregate([printed]);
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  return registry.metrics();
}
