import { indicators } from "@tocsin/api"
import { findIndicatorState } from "@tocsin/domain"
import type { PolledIndicator } from "@tocsin/domain/adapter"
import { isOwnIndicator, unsupportedText } from "@tocsin/domain/definitions"
import { testIndicator } from "@tocsin/domain/features/data-source"
import * as Effect from "effect/Effect"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { serve } from "../serve/Serve.ts"

export const indicatorsRoutes = serve(indicators, {
  findIndicator: ({ organization, sloName: name, project }) =>
    Effect.map(findIndicatorState(organization, { project, name }), (state) => {
      if ("pushed" in state) return { failures: 0, ...state.pushed }
      if ("unsupported" in state) {
        const { type, source, since } = state.unsupported
        const problem = { reason: "source_unsupported", detail: unsupportedText(type), at: since } as const
        return { failures: 0, problem, dataSource: source }
      }
      const { indicator, readTo, recent, ...reading } = state.polled
      return {
        ...(readTo > 0 && { readTo }),
        ...reading,
        ...(recent !== undefined && {
          history: { recentFrom: recent.from, recentTo: recent.to, ...recent.history },
        }),
        ...dataSourceOf(indicator),
      }
    }),
  testIndicator: Effect.fnUntraced(function* ({ organization, body }) {
    const test = yield* testIndicator(organization, body, yield* DefinitionOptions)
    const { range, counts, isPerObjective } = test
    return {
      ...test,
      ...range,
      counts: counts.map(({ objective, at: timestamp, good, total }) => ({
        ...(isPerObjective && { objective }),
        timestamp,
        good,
        total,
      })),
    }
  }),
})

const dataSourceOf = (indicator: PolledIndicator) => {
  if (isOwnIndicator(indicator)) return { dataSource: indicator.source }
  const { dataSource } = indicator.prometheus
  return dataSource === undefined ? {} : { dataSource }
}
