import * as Result from "effect/Result"
import { readDocuments } from "@tocsin/formats/documents"
import { counterExpression } from "@tocsin/promql"
import { decodeDefinition } from "@tocsin/domain"
import { publicAddressesOnly } from "@tocsin/domain/delivery"
import { metricFailures, sampleProblems } from "@tocsin/domain/ports"
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

  it("spec/data-sources §5: says how recording rules are read", () => {
    const [rule = "", read] = [...guide.matchAll(/`([^`]*:increase1m[^`]*)`/g)].map(([, text]) => text)
    expect(counterExpression(rule).events).toBe(read)
  })

  it("spec/data-sources §3: lists every reason, and no other", () => {
    const rows = [...guide.matchAll(/^\| `(\w+)`/gm)].map(([, reason]) => reason)
    expect(rows).toEqual([...metricFailures, ...sampleProblems])
  })
})
