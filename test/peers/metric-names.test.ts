import { MetricSourcePrometheus } from "@tocsin/adapters-egress"
import { MetricSource, type NameQuery } from "@tocsin/domain/ports"
import { sourceUrlOf } from "@tocsin/testing/fixtures"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../FreePort.ts"
import { type Prometheus, startPrometheus } from "./Prometheus.ts"

const at = Math.floor(Date.now() / 1_000) - 4 * 3_600

const history = `# TYPE requests counter
requests_total{job="checkout",code="200"} 5 ${at}
requests_total{job="checkout",code="500"} 1 ${at}
requests_total{job="a.*b",code="200"} 1 ${at}
# TYPE latency gauge
latency{region="eu"} 1 ${at}
# EOF
`

let prometheus: Prometheus

beforeAll(async () => {
  prometheus = await startPrometheus({ port: await freePort(), config: "global: {}\n", history })
})

afterAll(() => prometheus?.close())

const names = (query: Partial<NameQuery>) =>
  Effect.runPromise(
    Effect.flatMap(MetricSource, (source) =>
      source.readNames({
        organization: "acme",
        server: { url: { ...sourceUrlOf("http://a.example.com"), text: prometheus.url }, headers: [] },
        from: (at - 60) * 1_000,
        to: Date.now(),
        ...query,
      }),
    ).pipe(Effect.provide(MetricSourcePrometheus.layer({ allowCidrs: ["127.0.0.0/8"] }))),
  )

describe("names of a Prometheus server", () => {
  it("spec/data-sources §17: are those of its metrics and labels, and the values of these", async () => {
    const listed = async (query: Partial<NameQuery>) => (await names(query)).names
    expect(await names({ label: "__name__" })).toEqual({
      names: ["latency", "requests_total"],
      isComplete: true,
    })
    expect(await listed({})).toEqual(["__name__", "code", "job", "region"])
    expect(await listed({ metric: "requests_total" })).toEqual(["__name__", "code", "job"])
    expect(await listed({ label: "code", metric: "requests_total" })).toEqual(["200", "500"])
    expect(await listed({ label: "code", metric: "latency" })).toEqual([])
    expect(await listed({ label: "__name__", containing: "ENCY" })).toEqual(["latency"])
    // What is searched is text.
    expect(await listed({ label: "job", containing: "a.*b" })).toEqual(["a.*b"])
    expect(await listed({ label: "job", containing: ".*" })).toEqual(["a.*b"])
    expect(await listed({ label: "job", containing: '"' })).toEqual([])
    expect(await listed({ label: "__name__", to: (at - 30) * 1_000 })).toEqual([])
  })
})
