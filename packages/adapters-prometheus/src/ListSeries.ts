import type { OrganizationId } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import {
  type InParts,
  type Labels,
  labelsKey,
  labelsValues,
  type Matcher,
  sortedByLabels,
} from "@tocsin/promql/series"
import { selectAlertSeries, selectSloSeries } from "./SelectSeries.ts"

/**
 * The labels of all series that one of the selectors selects, each once, or of all series without a selector: of the objectives
 * that are defined, and of the alerts that were open between two instants. They are sorted.
 */
export const listedSeries = Effect.fnUntraced(function* <E, R>(
  organization: OrganizationId,
  selectors: ReadonlyArray<ReadonlyArray<Matcher>>,
  range: { readonly from: number; readonly to: number },
  inParts: InParts<E, R>,
) {
  const wanted = selectors.length === 0 ? [[]] : selectors
  const ofSlos = yield* selectSloSeries(organization, wanted, inParts)
  const ofAlerts = yield* selectAlertSeries(organization, wanted, range, inParts)
  return yield* inParts(function* (work) {
    const listed = new Map<string, Labels>()
    for (const { labels } of [...ofSlos.flat(), ...ofAlerts.flat()]) {
      if (work.spend(labelsValues)) yield
      listed.set(labelsKey(labels), labels)
    }
    if (work.spend(labelsValues * listed.size)) yield
    return sortedByLabels([...listed.values()], (labels) => labels)
  })
})
