import { AggregatorRegistry, Registry, type RegistryContentType } from 'prom-client';
import type { MetricsFormat } from '../model/metric.js';

/** One sample of a metric family. */
export interface MetricValue {
  readonly value: number;
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly metricName?: string;
}

/** One metric family. */
export interface MetricFamily {
  readonly name: string;
  readonly type?: unknown;
  /** How values of several processes are merged: their sum, or the highest. */
  readonly aggregator?: string;
  readonly values: readonly MetricValue[];
}

/** Merges the metrics of several processes. Of quantiles the highest is taken: they have no sum. */
export function mergedMetrics(processes: readonly (readonly MetricFamily[])[]): readonly MetricFamily[] {
  const families = new Map<string, { readonly family: MetricFamily; readonly values: Map<string, MetricValue> }>();
  for (const family of processes.flat()) {
    const known = families.get(family.name);
    const values = known?.values ?? new Map<string, MetricValue>();
    if (known === undefined) families.set(family.name, { family, values });
    for (const metric of family.values) {
      const key = JSON.stringify([metric.metricName, Object.entries(metric.labels).toSorted()]);
      const other = values.get(key);
      const isMax = family.aggregator === 'max' || 'quantile' in metric.labels;
      values.set(
        key,
        other === undefined ? metric : { ...metric, value: mergedValue(metric.value, other.value, isMax) },
      );
    }
  }
  return [...families.values()].map(({ family, values }) => ({ ...family, values: [...values.values()] }));
}

function mergedValue(a: number, b: number, isMax: boolean): number {
  // A process without the value (NaN) does not count.
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) ? b : a;
  return isMax ? Math.max(a, b) : a + b;
}

/**
 * Metrics in a text format. A name is the same in both. Counters of OpenMetrics end with `_total`, so that there a
 * counter of another name has the type `unknown`: a scraper chooses the format by itself, and that must not rename what
 * dashboards show.
 */
export function metricsText(families: readonly MetricFamily[], format: MetricsFormat): Promise<string> {
  const isOpen = format === 'openmetrics';
  const registry: Registry<RegistryContentType> = AggregatorRegistry.aggregate([
    isOpen ? families.map(opened) : families,
  ]);
  registry.setContentType(isOpen ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE);
  return registry.metrics();
}

/** A family as OpenMetrics has it; the registry puts the ending of a counter behind the name that it prints. */
function opened(family: MetricFamily): MetricFamily {
  if (family.type !== 'counter') return family;
  return family.name.endsWith('_total')
    ? { ...family, name: family.name.slice(0, -'_total'.length) }
    : { ...family, type: 'unknown' };
}
