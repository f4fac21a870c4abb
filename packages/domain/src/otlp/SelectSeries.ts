import type { ProjectKey } from "../metadata/ObjectKey.ts"
import { type EventPart, eventParts, type OtlpIndicator, type PushedEvents } from "../slo/OtlpIndicator.ts"
import type { MetricPoint } from "./MetricPoint.ts"

/** The SLO and the part of its events that a point counts for. */
export interface Selected {
  readonly slo: ProjectKey
  readonly part: EventPart
  readonly events: PushedEvents
}

/**
 * Makes the function that finds what a point counts for. The work for a point grows with what it is found for, not with the number
 * of SLOs of its metric, where each of them asks for a value of the same attribute, such as the name of a service. `candidates` is
 * how many parts of SLOs the point was compared with.
 */
export const selectSeries = (
  slos: ReadonlyArray<{ readonly slo: ProjectKey; readonly indicator: OtlpIndicator }>,
): ((point: MetricPoint) => { readonly found: ReadonlyArray<Selected>; readonly candidates: number }) => {
  const byMetric = new Map<string, MetricSelectors>()
  for (const { slo, indicator } of slos) {
    for (const part of eventParts) {
      const events = indicator[part]
      if (events === undefined) continue
      const selectors = byMetric.get(events.metric) ?? emptySelectors()
      byMetric.set(events.metric, selectors)
      const selector: Selector = {
        selected: { slo, part, events },
        conditions: Object.entries(events.attributes),
      }
      const exact = selector.conditions.find(([, values]) => !values.some(isPrefix))
      if (exact === undefined) selectors.others.push(selector)
      else {
        const [name, values] = exact
        const byValue = selectors.byAttribute.get(name) ?? new Map<string, Array<Selector>>()
        selectors.byAttribute.set(name, byValue)
        for (const value of new Set(values)) byValue.set(value, [...(byValue.get(value) ?? []), selector])
      }
    }
  }
  return (point) => {
    const selectors = byMetric.get(point.metric)
    if (selectors === undefined) return { found: [], candidates: 0 }
    const candidates = [...selectors.others]
    for (const [name, byValue] of selectors.byAttribute) {
      candidates.push(...(byValue.get(point.attribute(name) ?? "") ?? []))
    }
    const found = candidates.filter((each) => isSelected(each, point)).map(({ selected }) => selected)
    return { found, candidates: candidates.length }
  }
}

const isPrefix = (value: string): boolean => value.endsWith("*")

const isSelected = ({ conditions }: Selector, point: MetricPoint): boolean =>
  conditions.every(([name, values]) => {
    const actual = point.attribute(name)
    return (
      actual !== undefined &&
      values.some((value) => (isPrefix(value) ? actual.startsWith(value.slice(0, -1)) : value === actual))
    )
  })

const emptySelectors = (): MetricSelectors => ({ byAttribute: new Map(), others: [] })

interface Selector {
  readonly selected: Selected
  readonly conditions: ReadonlyArray<readonly [string, ReadonlyArray<string>]>
}

interface MetricSelectors {
  readonly byAttribute: Map<string, Map<string, Array<Selector>>>
  readonly others: Array<Selector>
}
