import { ownedKey, objectName } from "../metadata/Metadata.ts"
import { sourceUrl } from "../alert-method/WebhookUrl.ts"
import { described, type TypeOf } from "../codec/Codec.ts"
import { list, object, optional } from "../codec/Containers.ts"
import { literals, string } from "../codec/Leaves.ts"
import { otlpIndicator } from "./OtlpIndicator.ts"
import { checkedPromQl, expression } from "./PromQlExpression.ts"
import { metricSource } from "./SourceMetrics.ts"

/** How a histogram is exposed: as series of buckets, or as one series of histograms. */
const histogramTypes = ["classic", "native"] as const

export type HistogramType = (typeof histogramTypes)[number]

const histogramSeries = checkedPromQl({
  pattern: /^\s*[A-Za-z_:][A-Za-z0-9_:]*\s*(?:\{[^]*\})?\s*$/,
  message: 'must be a histogram without a suffix, such as latency_seconds{job="checkout"}',
})

const histogram = object({
  series: described(
    histogramSeries,
    "Name of the histogram without _bucket or _count, and its label matchers",
  ),
  type: optional(described(literals(histogramTypes), "Default: classic")),
})

/** Most labels by which an indicator is grouped. */
export const groupLabelsMax = 8

/** The names of labels by whose values an indicator is grouped. */
export const groupLabels = list(
  string({
    max: 100,
    format: { pattern: /^[A-Za-z_][A-Za-z0-9_]*$/, message: "must be the name of a label" },
  }),
  { min: 1, max: groupLabelsMax, distinct: { by: (name) => name } },
)

/** A Prometheus server, and the expressions `good` or `bad` and `total`, or `metric`, or `histogram`. */
export const prometheusIndicator = object(
  {
    url: optional(sourceUrl),
    dataSource: optional(described(ownedKey(objectName), "Data source to read from, instead of a URL")),
    good: optional(
      described(expression, "PromQL expression for the number of good events in the last minute"),
    ),
    bad: optional(
      described(
        expression,
        "PromQL expression for the number of bad events in the last minute. The rest of total is good. Instead of good",
      ),
    ),
    total: optional(
      described(expression, "PromQL expression for the number of all events in the last minute"),
    ),
    histogram: optional(
      described(
        histogram,
        "Histogram of which events of at most the value of an objective are good. Instead of good or bad, and total",
      ),
    ),
    metric: optional(
      described(
        expression,
        "PromQL expression for a value, such as a latency, that each objective compares by op and value. Instead of good or bad, and total",
      ),
    ),
    groupBy: optional(
      described(
        groupLabels,
        "Labels by whose values the expressions return series. Each objective then exists once for each group",
      ),
    ),
  },
  {
    rules: ({ has, at, path, issues }) => {
      const hasEvents = has("good") || has("bad") || has("total")
      if ([hasEvents, has("metric"), has("histogram")].filter(Boolean).length > 1) {
        const message = "must have only one of good or bad with total, metric, and histogram"
        issues.add(path, "mutually_exclusive", message)
      } else if (has("good") && has("bad")) {
        issues.add(path, "mutually_exclusive", "must have either good or bad, not both")
      } else if (!has("metric") && !has("histogram")) {
        if (!has("good") && !has("bad")) {
          const message = "is required, unless bad, metric or histogram is given"
          issues.add(at("good"), "required", message)
        }
        if (!has("total")) {
          issues.add(at("total"), "required", "is required, unless metric or histogram is given")
        }
      }
      if (has("url") && has("dataSource")) {
        issues.add(at("dataSource"), "mutually_exclusive", "must not be specified together with url")
      } else if (!has("url") && !has("dataSource")) {
        issues.add(at("url"), "required", "is required, unless dataSource names a data source")
      }
    },
  },
)

/** Where the counts of an SLO come from: queries of Prometheus servers, or metrics that are pushed over OTLP. */
export const indicator = object(
  {
    prometheus: optional(prometheusIndicator),
    otlp: optional(described(otlpIndicator, "Metrics that are pushed over OTLP, instead of prometheus")),
    metricSource: optional(
      described(
        metricSource,
        "Data source of the queries that the objectives have in countMetrics and rawMetric, instead of prometheus",
      ),
    ),
  },
  {
    rules: ({ has, at, path, issues }) => {
      const given = (["prometheus", "otlp", "metricSource"] as const).filter((name) => has(name))
      if (given.length > 1) {
        issues.add(path, "mutually_exclusive", `must have only one of ${given.join(" and ")}`)
      } else if (given.length === 0) {
        issues.add(at("prometheus"), "required", "is required, unless otlp or metricSource is given")
      }
    },
  },
)

/** Exactly one of `prometheus`, `otlp` and `metricSource` is present. */
export type Indicator = TypeOf<typeof indicator>
