import * as Result from "effect/Result"
import { readDocuments } from "@tocsin/adapters-http/documents/ReadDocuments"
import { publicAddressesOnly } from "@tocsin/domain/alert-method/AddressPolicy"
import { decodeDefinition } from "@tocsin/domain/definition/DecodeDefinition"
import { sampleProblems } from "@tocsin/domain/data-source/IndicatorStore"
import { metricFailures } from "@tocsin/domain/data-source/MetricSource"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const guide = readFileSync(new URL("../../docs/guides/prometheus.md", import.meta.url), "utf8")

describe("the page on Prometheus", () => {
  it("spec/data-sources §1: has an SLO that decodes", () => {
    const [, yaml = ""] = /```yaml\n([^]*?)```/.exec(guide) ?? []
    const read = readDocuments(yaml, "application/yaml")
    if (Result.isFailure(read)) throw new Error(read.failure.message)
    const options = { vendorPrefix: "tocsin", addressPolicy: publicAddressesOnly }
    expect(read.success.map((each) => Result.isSuccess(decodeDefinition(each, options)))).toEqual([true])
  })

  it("reads recording rules within their minute, not within the lookback of 5 minutes", () => {
    const rules = [...guide.matchAll(/`([^`]*:increase1m[^`]*)`/g)].map(([, expression]) => expression)
    expect(rules).toEqual(["last_over_time(orders:increase1m[1m])", "orders:increase1m"])
  })

  it("spec/data-sources §3: lists every reason, and no other", () => {
    const rows = [...guide.matchAll(/^\| `(\w+)`/gm)].map(([, reason]) => reason)
    expect(rows).toEqual([...metricFailures, ...sampleProblems])
  })
})
