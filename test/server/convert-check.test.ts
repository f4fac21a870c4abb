import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { type PrometheusServer, startPrometheus } from "../indicator/PrometheusServer.ts"
import { scratch, tocsin } from "./child-process.ts"

const slo = (name: string, errors: string, total = "requests_total") => ({
  name,
  objective: 99,
  sli: {
    events: {
      error_query: `sum(rate(${errors}[{{.window}}]))`,
      total_query: `sum(rate(${total}[{{.window}}]))`,
    },
  },
  alerting: { page_alert: { disable: true }, ticket_alert: { disable: true } },
})

const sloth = (...slos: ReadonlyArray<object>) => ({ version: "prometheus/v1", service: "shop", slos })

/** The lines of `--check`, of Sloth's SLOs on a server. */
const check = async (name: string, url: string | undefined, ...slos: ReadonlyArray<object>) => {
  const file = join(scratch, `${name}.yaml`)
  writeFileSync(file, stringify(sloth(...slos)))
  const options = url === undefined ? [] : ["--prometheus-url", url]
  const { code, stdout, stderr } = await tocsin(["convert", "-f", file, "--check", ...options])
  const lines = stderr.split("\n").filter((line) => line.startsWith("shop-"))
  return { code, stdout, stderr, lines }
}

describe("tocsin convert --check", () => {
  let prometheus: PrometheusServer
  beforeAll(async () => {
    // 60 events a minute, of which 6 are errors; by the source's own ratio of the hour, 10% or 25%.
    prometheus = await startPrometheus(({ query }) => {
      if (query.includes("broken")) {
        return {
          status: 422,
          contentType: "application/json",
          body: '{"status":"error","errorType":"execution","error":"many-to-many matching not allowed"}',
        }
      }
      if (query.includes("absent")) return () => undefined
      if (query.includes("[1h]")) return () => (query.includes("other") ? 0.25 : 0.1)
      return () => (query.includes("errors") ? 6 : 60)
    })
  })
  afterAll(() => prometheus.close())

  it("spec/openslo §1: prints the bad share of the last hour by the document and by the definition, and their difference", async () => {
    const { code, lines, stdout } = await check(
      "same",
      prometheus.url,
      slo("same", "errors_total"),
      slo("differs", "other_errors_total"),
    )
    expect(code).toBe(0)
    expect(lines).toEqual([
      "shop-same: source 10.00% bad, converted 10.00% bad in 60 minutes, difference 0.00 percentage points",
      "shop-differs: source 25.00% bad, converted 10.00% bad in 60 minutes, difference 15.00 percentage points",
    ])
    // Standard output has definitions alone.
    expect(stdout).not.toContain("percentage points")
    const hour = prometheus.queries.filter(({ query }) => query.includes("[1h]"))
    expect(hour[0]?.query).toBe("(sum(rate(errors_total[1h]))) / (sum(rate(requests_total[1h])))")
    const minutes = prometheus.queries.find(
      ({ query, end, start }) => query.includes("increase(requests_total") && end > start,
    )
    expect(minutes).toMatchObject({ step: 60 })
    expect((minutes?.end ?? 0) % 60).toBe(0)
  })

  it("spec/openslo §1: reports what cannot be compared, and checks the other SLOs", async () => {
    const { code, lines } = await check(
      "problems",
      prometheus.url,
      slo("none", "absent_total", "absent_requests_total"),
      slo("broken", "broken_total"),
      slo("good", "errors_total"),
    )
    expect(code).toBe(0)
    expect(lines).toEqual([
      "shop-none: source no data, converted no data in 0 minutes",
      "shop-broken: source no data, converted no data in 0 minutes",
      expect.stringMatching(/^shop-broken: the queries of the document: .*many-to-many matching/),
      expect.stringMatching(/^shop-broken: the converted queries: .*many-to-many matching/),
      expect.stringContaining("shop-good: source 10.00% bad, converted 10.00% bad"),
    ])
  })

  it("spec/openslo §1: a server that is not there is reported for each SLO", async () => {
    const stopped = await startPrometheus(() => () => 0)
    await stopped.close()
    const { code, lines } = await check("stopped", stopped.url, slo("a", "errors_total"))
    expect(code).toBe(0)
    expect(lines[0]).toBe("shop-a: source no data, converted no data in 0 minutes")
    expect(lines.slice(1)).toHaveLength(2)
  })
})
