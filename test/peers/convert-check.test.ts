import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { stringify } from "yaml"
import { freePort } from "../FreePort.ts"
import { scratch, tocsin } from "../server/child-process.ts"
import { startPrometheus } from "./Prometheus.ts"

const disabled = { page_alert: { disable: true }, ticket_alert: { disable: true } }

const slo = (name: string, error_query: string, total_query: string) => ({
  name,
  objective: 99,
  sli: { events: { error_query, total_query } },
  alerting: disabled,
})

const range = "[{{.window}}]"

/** Counters of the hours before now: of two regions, errors in one; of two targets; and of buckets as Prometheus 3 writes them. */
const history = (now: number): string => {
  const counters = [
    ["requests_total", '{region="eu"}', 10],
    ["requests_total", '{region="us"}', 10],
    ["errors_total", '{region="eu"}', 2],
    ["errors_total", '{region="us"}', 0],
    ["seconds_bucket", '{le="1.0"}', 9],
    ["seconds_bucket", '{le="+Inf"}', 10],
    ["seconds_count", "", 10],
    ["slow_errors_total", "", 0.2],
  ] as const
  const lines = counters.flatMap(([name, labels, perSecond]) =>
    Array.from({ length: 3 * 240 + 8 }, (_, index) => {
      const seconds = index * 15
      return `${name}${labels} ${perSecond * seconds} ${now - 3 * 3_600 + seconds}`
    }),
  )
  return `${lines.join("\n")}\n# EOF\n`
}

describe("tocsin convert --check, beside a real Prometheus", () => {
  it("spec/openslo §1: the converted SLOs give the share that the queries of the documents give", async () => {
    const prometheus = await startPrometheus({
      port: await freePort(),
      config: "global: { scrape_interval: 15s }\n",
      // Nothing is scraped, so that blocks may reach to now.
      history: history(Math.floor(Date.now() / 1_000)),
    })
    try {
      const slos = [
        slo("all", `sum(rate(errors_total${range}))`, `sum(rate(requests_total${range}))`),
        slo("open", `rate(errors_total${range})`, `sum without (pod) (rate(requests_total${range}))`),
        slo(
          "region",
          `sum by (region) (rate(errors_total${range}))`,
          `sum by (region) (rate(requests_total${range}))`,
        ),
        slo(
          "threshold",
          `(sum(rate(slow_errors_total${range})) > 0.5) or vector(0)`,
          `sum(rate(seconds_count${range}))`,
        ),
        slo(
          "fast",
          `sum(rate(seconds_count${range})) - sum(rate(seconds_bucket{le="1.0"}${range}))`,
          `sum(rate(seconds_count${range}))`,
        ),
        {
          name: "raw",
          objective: 99,
          sli: {
            raw: {
              error_ratio_query: `1 - sum(rate(seconds_bucket{le="1.0"}${range})) / sum(rate(seconds_count${range}))`,
            },
          },
          alerting: disabled,
        },
      ]
      const file = join(scratch, "checked.yaml")
      writeFileSync(file, stringify({ version: "prometheus/v1", service: "shop", slos }))
      const { code, stderr } = await tocsin([
        "convert",
        "-f",
        file,
        "--check",
        "--prometheus-url",
        prometheus.url,
      ])
      expect(code).toBe(0)
      const same = (place: string, percent: string) =>
        `${place}: source ${percent}% bad, converted ${percent}% bad in 60 minutes, difference 0.00 percentage points`
      expect(stderr.split("\n").filter((line) => line.startsWith("shop-"))).toEqual([
        same("shop-all", "10.00"),
        same("shop-open", "10.00"),
        same('shop-region {region="eu"}', "20.00"),
        same('shop-region {region="us"}', "0.00"),
        same("shop-threshold", "0.00"),
        same("shop-fast", "10.00"),
        same("shop-raw", "10.00"),
      ])
    } finally {
      await prometheus.close()
    }
  })
})
