import { describe, expect, it } from "vitest"
import { converted, convertedYaml, type Plain, variationsOf } from "./conversion.ts"

const events = {
  error_query: 'sum(rate(checkout_requests_total{shop="eu",code=~"5.."}[{{.window}}]))',
  total_query: 'sum(rate(checkout_requests_total{shop="eu"}[{{.window}}]))',
}

const requests = {
  name: "requests",
  objective: 99.95,
  description: "Checkouts are answered.",
  labels: { area: "web" },
  sli: { events },
  alerting: { page_alert: { disable: true }, ticket_alert: { disable: true } },
}

const document = (...slos: ReadonlyArray<object>) => ({
  version: "prometheus/v1",
  service: "checkout",
  labels: { owner: "payments", tier: 2 },
  slos,
})

const withSli = (sli: object) => document({ ...requests, sli })

const serviceNote = "0 service: is not in the documents; it must exist when the result is applied"

describe("converting Sloth", () => {
  it("spec/openslo §4: an SLO keeps its service, target, labels and counts", () => {
    const { slos, policies, notes, isComplete } = converted([document(requests)])
    expect(slos).toEqual([
      {
        apiVersion: "tocsin/v1alpha",
        kind: "SLO",
        metadata: {
          name: "checkout-requests",
          displayName: "requests",
          project: "default",
          labels: { owner: ["payments"], tier: ["2"], area: ["web"] },
        },
        spec: {
          description: "Checkouts are answered.",
          service: "checkout",
          budgetingMethod: "Occurrences",
          timeWindows: [{ unit: "Day", count: 30, isRolling: true }],
          objectives: [{ target: 0.9995 }],
          indicator: {
            prometheus: {
              url: "http://prometheus:9090",
              bad: '(sum(increase(checkout_requests_total{shop="eu",code=~"5.."}[1m]))) or vector(0)',
              total: 'sum(increase(checkout_requests_total{shop="eu"}[1m]))',
            },
          },
        },
      },
    ])
    expect({ policies, notes, isComplete }).toEqual({ policies: [], notes: [serviceNote], isComplete: true })
  })

  it("spec/openslo §4: the Kubernetes resource gives the same as the file", () => {
    const resource = {
      apiVersion: "sloth.slok.dev/v1",
      kind: "PrometheusServiceLevel",
      metadata: { name: "any", namespace: "monitoring", uid: "1", generation: 3, managedFields: [] },
      spec: {
        service: "checkout",
        labels: { owner: "payments", tier: "2" },
        slos: [
          {
            ...requests,
            sli: { events: { errorQuery: events.error_query, totalQuery: events.total_query } },
            alerting: { pageAlert: { disable: true }, ticketAlert: { disable: true } },
          },
        ],
      },
      status: { processedSLOs: 1 },
    }
    const { slos, notes } = converted([resource])
    expect(slos).toEqual(converted([document(requests)]).slos)
    expect(notes).toEqual([serviceNote.replace("service", "spec.service")])
    const { apiVersion, kind, ...item } = resource
    for (const list of [
      { apiVersion: "v1", kind: "List", items: [resource] },
      { apiVersion, kind: `${kind}List`, metadata: { resourceVersion: "7" }, items: [item] },
    ]) {
      expect(converted([list])).toMatchObject({
        slos,
        notes: [serviceNote.replace("service", "items[0].spec.service")],
        isComplete: true,
      })
    }
  })

  it.each([
    ["30d", undefined, ["14.4", "6", "3", "1"]],
    ["28d", { unit: "Day" as const, count: 28 }, ["13.44", "5.6", "2.8", "0.933333333333"]],
  ])(
    "spec/openslo §4: the alerts of a window of %s burn 2, 5, 10 and 10 %% of the budget in their long window",
    (_, slothWindow, factors) => {
      const { slos, policies, notes } = converted([document({ ...requests, alerting: {} })], {
        ...(slothWindow !== undefined && { slothWindow }),
      })
      expect(
        policies.map(({ spec }) => [
          spec.severity,
          ...spec.conditionGroups.map(({ conditions }: Plain) =>
            conditions.map((each: Plain) => `${each.value} over ${each.alertingWindow}`),
          ),
        ]),
      ).toEqual([
        [
          "High",
          [`${factors[0]} over 60m`, `${factors[0]} over 5m`],
          [`${factors[1]} over 360m`, `${factors[1]} over 30m`],
        ],
        [
          "Medium",
          [`${factors[2]} over 1440m`, `${factors[2]} over 120m`],
          [`${factors[3]} over 4320m`, `${factors[3]} over 360m`],
        ],
      ])
      expect(slos[0].spec.alertPolicies).toEqual(policies.map(({ metadata }) => metadata.name))
      expect(notes).toEqual([
        serviceNote,
        "0 slos[0].alerting: becomes alert policies without alert methods; add spec.alertMethods to them before you apply the result",
      ])
    },
  )

  it("spec/openslo §4: SLOs share alert policies; a disabled alert has none", () => {
    const { slos, policies } = converted([
      document(
        { ...requests, alerting: { ticket_alert: { disable: true } } },
        { ...requests, name: "other", alerting: { name: "Slow", page_alert: { labels: { to: "x" } } } },
      ),
    ])
    expect(policies).toHaveLength(2)
    expect(slos.map(({ spec }) => spec.alertPolicies.length)).toEqual([1, 2])
  })

  it("spec/openslo §4: a raw ratio becomes one event a minute", () => {
    const { slos, notes, isComplete } = converted([
      withSli({ raw: { error_ratio_query: "sum(rate(a[{{ .window }}])) / sum(rate(b[{{.window}}]))" } }),
    ])
    expect(slos[0].spec.indicator.prometheus).toMatchObject({
      bad: "sum(rate(a[1m])) / sum(rate(b[1m]))",
      total: "vector(1)",
    })
    expect(notes).toContain(
      "0 slos[0].sli.raw.error_ratio_query: becomes one event a minute, whose bad share is the error ratio",
    )
    expect(isComplete).toBe(true)
  })

  it.each([
    ["sum(rate(x[{{ .window }}]))", "sum(increase(x[1m]))"],
    ["sum(increase(x[{{.window}}]))", "sum(increase(x[1m]))"],
    ['sum(rate(x{a="rate(b)"}[{{.window}}]))', 'sum(increase(x{a="rate(b)"}[1m]))'],
    ["sum(rate (my_rate[{{.window}}])) by (rate)", "sum(increase (my_rate[1m])) by (rate)"],
    [
      "sum_over_time((count(satisfaction < 0.5))[{{.window}}:]) OR on() vector(0)",
      "sum_over_time((count(satisfaction < 0.5))[1m:]) OR on() vector(0)",
    ],
  ])("spec/openslo §4: the query %s counts the events of one minute", (query, expected) => {
    const { slos } = converted([withSli({ events: { error_query: query, total_query: query } })])
    expect(slos[0].spec.indicator.prometheus.total).toBe(expected)
  })

  it.each([
    ["a plugin", { plugin: { id: "x" } }, "slos[0].sli.plugin"],
    ["no indicator", {}, "slos[0].sli"],
    ["no range", { events: { ...events, error_query: "sum(x)" } }, "slos[0].sli.events.error_query"],
    [
      "another placeholder",
      { events: { ...events, total_query: "sum(rate(x[{{.window}}] offset {{.lag}}))" } },
      "slos[0].sli.events.total_query",
    ],
    [
      "irate",
      { events: { ...events, total_query: "sum(irate(x[{{.window}}]))" } },
      "slos[0].sli.events.total_query",
    ],
    ["no total", { events: { error_query: events.error_query } }, "slos[0].sli.events.total_query"],
  ])("spec/openslo §1: an SLO with %s is left out, and others are not", (_, sli, path) => {
    const { slos, notes, isComplete } = converted([
      document({ ...requests, sli }, { ...requests, name: "other" }),
    ])
    expect(slos.map(({ metadata }) => metadata.name)).toEqual(["checkout-other"])
    expect(notes.some((note) => note.startsWith(`0 ${path}: `))).toBe(true)
    expect(notes.some((note) => note.startsWith("0 slos[0]: the SLO is omitted"))).toBe(true)
    expect(isComplete).toBe(false)
  })

  it("spec/openslo §1: a target of 100% and a missing server leave out the SLO", () => {
    const whole = converted([document({ ...requests, objective: 100 })])
    expect(whole).toMatchObject({ slos: [], isComplete: false })
    expect(whole.notes[1]).toMatch(/^0 slos\[0\]\.objective: must be at least 0 and less than 1.*omitted$/)
    const nowhere = converted([document(requests)], { prometheusUrl: undefined })
    expect(nowhere).toMatchObject({ slos: [], isComplete: false })
    expect(nowhere.notes[1]).toMatch(
      /^0 slos\[0\]\.sli: is omitted with the SLO.*select a data source \(data_source in the API\), or set --prometheus-url or prometheus_url$/,
    )
  })

  it("spec/openslo §1: plugins, names and annotations get a note, and the SLO is kept", () => {
    const { notes, isComplete } = converted([
      {
        ...document({
          ...requests,
          plugins: { chain: [{ id: "x" }] },
          alerting: { ...requests.alerting, name: "A", labels: { a: "b" }, annotations: { a: "b" } },
        }),
        slo_plugins: { chain: [{ id: "x" }] },
      },
    ])
    expect(notes.map((note) => note.replace(/:.*/, ""))).toEqual([
      "0 service",
      "0 slo_plugins",
      "0 slos[0].alerting.annotations",
      "0 slos[0].alerting.labels",
      "0 slos[0].alerting.name",
      "0 slos[0].plugins",
    ])
    expect(isComplete).toBe(true)
  })

  it("spec/openslo §1: reads a file with comments, block strings and templates", () => {
    const { slos, isComplete } = convertedYaml(`
version: "prometheus/v1"
service: "shop"
slos:
  # One request of a thousand may fail.
  - name: "requests"
    objective: 99.9
    sli:
      events:
        error_query: |
          sum(
            rate(requests_total{code=~"(5..|429)"}[{{.window}}])
          )
        total_query: sum(rate(requests_total[{{.window}}]))
    alerting:
      page_alert: { disable: true }
      ticket_alert: { disable: true }
`)
    expect(slos[0].spec.objectives).toEqual([{ target: 0.999 }])
    expect(slos[0].spec.indicator.prometheus.bad).toContain('increase(requests_total{code=~"(5..|429)"}[1m])')
    expect(isComplete).toBe(true)
  })

  it("spec/openslo §1: whatever a property is, the result is valid, and an omission gets a note", () => {
    for (const changed of variationsOf(document(requests), [null, "", "x", -1, 1e308, true, [], {}, ["x"]])) {
      const { notes, isComplete } = converted([changed])
      if (!isComplete) expect(notes).not.toEqual([serviceNote])
    }
  })
})
