import { openMetricsType, prometheusTextType, sloMetrics } from "@tocsin/api"
import { costlyReadsPolicy, listSlosPolicy } from "@tocsin/domain/rate-limit"
import { readSloMetrics, workFor } from "@tocsin/domain"
import { inParts } from "@tocsin/domain/adapter"
import { ParameterIsInvalid } from "@tocsin/domain/codec"
import { isLabelKey, labelKeyRule } from "@tocsin/domain/kernel"
import { enforceRateLimit } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { serve } from "../serve/Serve.ts"
import { metricLabel, sloMetricsText } from "./SloMetricsText.ts"

/** SLOs whose metrics count as one unit of costly reads. */
const exportedSlosPerUnit = 500

export const sloMetricsRoutes = serve(sloMetrics, {
  exportSloMetrics: Effect.fnUntraced(function* ({ organization, project, labels = "" }, request) {
    yield* enforceRateLimit(organization, listSlosPolicy)
    const keys = [...new Set(labels.split(",").filter((key) => key !== ""))]
    const wrong = keys.find((key) => !isLabelKey(key))
    if (wrong !== undefined)
      return yield* rejectLabels(labels, `labels must be keys of labels: ${labelKeyRule}`)
    if (new Set(keys.map(metricLabel)).size < keys.length) {
      return yield* rejectLabels(
        labels,
        "labels must differ in their letters and digits, as metrics have only these",
      )
    }
    const records = yield* workFor(organization)(
      readSloMetrics(organization, project === "" ? undefined : project),
    )
    const units = Math.floor(records.length / exportedSlosPerUnit)
    if (units > 0) yield* enforceRateLimit(organization, costlyReadsPolicy, "", units)
    const isOpenMetrics = /application\/openmetrics-text/i.test(request.header("accept") ?? "")
    return {
      status: 200,
      headers: { "content-type": isOpenMetrics ? openMetricsType : prometheusTextType, vary: "accept" },
      body: yield* inParts(() => sloMetricsText(records, keys, isOpenMetrics)).pipe(workFor(organization)),
    }
  }),
})

const rejectLabels = (propertyValue: string, detail: string) =>
  Effect.fail(
    new ParameterIsInvalid({ code: "labels_invalid", propertyName: "labels", propertyValue, detail }),
  )
