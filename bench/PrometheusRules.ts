/** A ratio objective of a service: what it counts as errors, and as all events. */
export interface RatioObjective {
  readonly service: string
  readonly name: string
  /** The metric and the matchers of errors, without braces. */
  readonly errors: readonly [metric: string, matchers: string]
  readonly total: readonly [metric: string, matchers: string]
}

const target = 0.99

const rule = (record: string, expr: string, labels: Readonly<Record<string, string>>) => ({
  record,
  expr,
  labels,
})

const selector = ([metric, matchers]: readonly [string, string], range: string): string =>
  `sum(rate(${metric}{${matchers}}[${range}]))`

const ratioOver = ({ errors, total }: RatioObjective, range: string): string =>
  `(${selector(errors, range)}) / (${selector(total, range)})`

const matching = (labels: Readonly<Record<string, string>>): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(", ")}}`

/** The labels that Sloth gives all series of an SLO. */
export const slothLabels = ({ service, name }: RatioObjective) => ({
  sloth_id: `${service}-${name}`,
  sloth_service: service,
  sloth_slo: name,
})

/** Rules in the shape that Sloth documents for an SLO over 28 days: error ratios by window, metadata, and two alerts. */
export const slothRules = (objectives: ReadonlyArray<RatioObjective>): ReadonlyArray<object> =>
  objectives.flatMap((objective) => {
    const labels = slothLabels(objective)
    const same = matching(labels)
    const on = "on(sloth_id, sloth_slo, sloth_service) group_left"
    const ratio = (window: string) => `slo:sli_error:ratio_rate${window}`
    const isBurning = (window: string, factor: number) =>
      `max(${ratio(window)}${same} > (${factor} * ${(1 - target).toFixed(4)})) without (sloth_window)`
    const alert = (windows: ReadonlyArray<readonly [short: string, long: string, factor: number]>) =>
      windows
        .map(([short, long, factor]) => `(${isBurning(short, factor)} and ${isBurning(long, factor)})`)
        .join(" or ")
    return [
      {
        name: `sloth-slo-sli-recordings-${labels.sloth_id}`,
        rules: [
          ...["5m", "30m", "1h", "2h", "6h", "1d", "3d"].map((window) =>
            rule(ratio(window), ratioOver(objective, window), { ...labels, sloth_window: window }),
          ),
          rule(
            ratio("28d"),
            `sum_over_time(${ratio("5m")}${same}[28d]) / ignoring(sloth_window) count_over_time(${ratio("5m")}${same}[28d])`,
            { ...labels, sloth_window: "28d" },
          ),
        ],
      },
      {
        name: `sloth-slo-meta-recordings-${labels.sloth_id}`,
        rules: [
          rule("slo:objective:ratio", `vector(${target})`, labels),
          rule("slo:error_budget:ratio", `vector(1-${target})`, labels),
          rule("slo:time_period:days", "vector(28)", labels),
          rule(
            "slo:current_burn_rate:ratio",
            `${ratio("5m")}${same} / ${on} slo:error_budget:ratio${same}`,
            labels,
          ),
          rule(
            "slo:period_burn_rate:ratio",
            `${ratio("28d")}${same} / ${on} slo:error_budget:ratio${same}`,
            labels,
          ),
          rule("slo:period_error_budget_remaining:ratio", `1 - slo:period_burn_rate:ratio${same}`, labels),
          rule("sloth_slo_info", "vector(1)", { ...labels, sloth_objective: String(target * 100) }),
        ],
      },
      {
        name: `sloth-slo-alerts-${labels.sloth_id}`,
        rules: [
          {
            alert: "HighErrorRate",
            expr: alert([
              ["5m", "1h", 13.44],
              ["30m", "6h", 5.6],
            ]),
            labels: { sloth_severity: "page" },
          },
          {
            alert: "HighErrorRate",
            expr: alert([
              ["2h", "1d", 2.8],
              ["6h", "3d", 0.933],
            ]),
            labels: { sloth_severity: "ticket" },
          },
        ],
      },
    ]
  })

/** Rules in the shape that Pyrra documents for an SLO over four weeks: increases every 2.5 min, and burn rates and four alerts every 30 s. */
export const pyrraRules = (objectives: ReadonlyArray<RatioObjective>): ReadonlyArray<object> =>
  objectives.flatMap((objective) => {
    const { service, name, errors, total } = objective
    const slo = `${service}-${name}`
    const base = (metric: string) => metric.replace(/_total$/, "")
    const increase = ([metric, matchers]: readonly [string, string]) =>
      rule(`${base(metric)}:increase4w`, `sum by (code) (increase(${metric}{${matchers}}[4w]))`, {
        slo,
        service,
      })
    const absent = ([metric, matchers]: readonly [string, string]) => ({
      alert: "SLOMetricAbsent",
      expr: `absent(${metric}{${matchers}}) == 1`,
      for: "2m",
      labels: { slo, severity: "critical" },
    })
    // Where errors are a part of the same metric, one increase by code has both.
    const metrics = errors[0] === total[0] ? [total] : [total, errors]
    const burnRate = (window: string) => `${base(total[0])}:burnrate${window}`
    const isBurning = (window: string, factor: number) =>
      `${burnRate(window)}{service="${service}", slo="${slo}"} > (${factor} * (1-${target}))`
    const alerts: ReadonlyArray<readonly [short: string, long: string, factor: number, pending: string]> = [
      ["5m", "1h", 14, "2m"],
      ["30m", "6h", 7, "15m"],
      ["2h", "1d", 2, "1h"],
      ["6h", "4d", 1, "3h"],
    ]
    return [
      {
        name: `${slo}-increase`,
        interval: "2m30s",
        rules: metrics.flatMap((each) => [increase(each), absent(each)]),
      },
      {
        name: slo,
        interval: "30s",
        rules: [
          ...["5m", "30m", "1h", "2h", "6h", "1d", "4d"].map((window) =>
            rule(burnRate(window), ratioOver(objective, window), { slo, service }),
          ),
          ...alerts.map(([short, long, factor, pending]) => ({
            alert: "ErrorBudgetBurn",
            expr: `${isBurning(short, factor)} and ${isBurning(long, factor)}`,
            for: pending,
            labels: { slo, short, long },
          })),
        ],
      },
    ]
  })
