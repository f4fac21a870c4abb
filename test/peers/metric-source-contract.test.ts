import { MetricSourcePrometheus } from "@tocsin/adapters-egress"
import { type MetricHistory, metricSourceContract } from "@tocsin/testing/contracts"
import * as Effect from "effect/Effect"
import { freePort } from "../FreePort.ts"
import { startPrometheus } from "./Prometheus.ts"

/** In the OpenMetrics text format, in which the series of a metric follow one another. */
const historyText = (history: ReadonlyArray<MetricHistory>): string => {
  const names = [...new Set(history.map(({ name }) => name))]
  const lines = names.flatMap((name) => [
    name.endsWith("_total") ? `# TYPE ${name.replace(/_total$/, "")} counter` : `# TYPE ${name} gauge`,
    ...history.flatMap(({ name: of, labels, samples }) => {
      if (of !== name) return []
      const text = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`)
      return samples.map(({ at, value }) => `${name}{${text.join(",")}} ${value} ${at / 1_000}`)
    }),
  ])
  return `${lines.join("\n")}\n# EOF\n`
}

metricSourceContract(
  "Prometheus itself",
  MetricSourcePrometheus.layer({ allowCidrs: ["127.0.0.0/8"] }),
  (history) =>
    Effect.acquireRelease(
      Effect.promise(async () =>
        startPrometheus({
          port: await freePort(),
          config: "global: {}\n",
          history: historyText(history),
        }),
      ),
      ({ close }) => Effect.promise(close),
    ).pipe(Effect.map(({ url }) => url)),
)
