import * as Result from "effect/Result"
import { checkPromQl } from "@tocsin/promql"
import { IssueList } from "@tocsin/domain/codec"
import { makeAddressPolicy, publicAddressesOnly } from "@tocsin/domain/delivery"
import { indicator } from "../../src/slo/Indicator.ts"
import { promqlMaxCharacters } from "../../src/slo/PromQlExpression.ts"
import { describe, expect, it } from "vitest"

const valid = {
  url: "https://prometheus.example.com/prefix",
  good: 'sum(increase(http_requests_total{code!~"5.."}[1m]))',
  total: "sum(increase(http_requests_total[1m]))",
}

const privateNetwork = makeAddressPolicy(["10.0.0.0/8"])

const read = (prometheus: unknown, policy = publicAddressesOnly) => {
  const issues = new IssueList()
  const value = indicator.read({ prometheus }, "spec.indicator", issues, { addressPolicy: policy, owner })
  return {
    value: value && indicator.write(value, { secret: String }),
    issues: issues.sorted().map(({ path, code }) => [path, code]),
  }
}

const owner = { project: "shop", name: "checkout" }

describe("an indicator", () => {
  it("spec/data-sources §1: is a server of Prometheus and two expressions, kept as written", () => {
    expect(read(valid)).toEqual({ value: { prometheus: valid }, issues: [] })
    const longest = { ...valid, total: "x".repeat(promqlMaxCharacters) }
    expect(read(longest)).toEqual({ value: { prometheus: longest }, issues: [] })
  })

  it("spec/data-sources §1: has either good or bad events, of all", () => {
    const { good, ...rest } = valid
    const bad = { url: rest.url, bad: good, total: rest.total }
    expect(read(bad)).toEqual({ value: { prometheus: bad }, issues: [] })
    const at = "spec.indicator.prometheus"
    expect(read({ ...valid, bad: good }).issues).toEqual([[at, "mutually_exclusive"]])
    expect(read(rest).issues).toEqual([[`${at}.good`, "required"]])
    expect(read({ url: rest.url, bad: good }).issues).toEqual([[`${at}.total`, "required"]])
    expect(read({ url: rest.url, bad: good, metric: "m" }).issues).toEqual([[at, "mutually_exclusive"]])
    expect(read({ ...bad, histogram: { series: "h" } }).issues).toEqual([[at, "mutually_exclusive"]])
  })

  it("spec/data-sources §3: may name a server without TLS and of a private network, where the operator allows one", () => {
    if (Result.isFailure(privateNetwork)) throw new Error("the block is valid")
    const url = "http://prometheus:9090"
    expect(read({ ...valid, url }, privateNetwork.success).issues).toEqual([])
    expect(read({ ...valid, url }).issues).toEqual([["spec.indicator.prometheus.url", "url_host_forbidden"]])
  })

  it.each([
    ["another scheme", "ftp://prometheus.example.com", "url_not_http"],
    ["no scheme", "prometheus.example.com:9090", "url_not_http"],
    ["a query", "http://prometheus.example.com/?x=1", "url_has_query"],
    ["an empty query", "http://prometheus.example.com/?", "url_has_query"],
    ["a fragment", "http://prometheus.example.com/#graph", "url_has_fragment"],
    ["a password", "http://me:secret@prometheus.example.com/", "url_has_credentials"],
    ["an address that is not public", "http://127.0.0.1:9090", "url_address_forbidden"],
    ["an address in one number", "http://2130706433/", "url_address_forbidden"],
    ["no host", "http://", "url_host_invalid"],
    ["a number", 9090, "wrong_type"],
  ])("spec/data-sources §1: rejects a URL with %s", (_, url, code) => {
    expect(read({ ...valid, url })).toEqual({
      value: undefined,
      issues: [["spec.indicator.prometheus.url", code]],
    })
  })

  it("spec/data-sources §1: rejects what is not PromQL, with line and column, and reads what is stored unchecked", () => {
    const prometheus = { ...valid, good: "sum(rate(a[1m])", total: "rate(a)\n+ rate(b)" }
    const issues = new IssueList()
    indicator.read({ prometheus }, "spec.indicator", issues, {
      addressPolicy: publicAddressesOnly,
      checkPromQl,
      owner,
    })
    expect(issues.sorted()).toEqual([
      {
        path: "spec.indicator.prometheus.good",
        code: "invalid_format",
        message: 'is not valid PromQL at line 1, column 16: a ")" is missing',
      },
      ...["line 1, column 6", "line 2, column 8"].map((place) => ({
        path: "spec.indicator.prometheus.total",
        code: "invalid_format",
        message: `is not valid PromQL at ${place}: rate requires a range, such as [1m]`,
      })),
    ])
    expect(read(prometheus).issues).toEqual([])
  })

  it("spec/data-sources §1: reports every issue at once", () => {
    const tooLong = "x".repeat(promqlMaxCharacters + 1)
    expect(read({ url: "gopher://x", good: tooLong, total: " \n", query: "up" }).issues).toEqual([
      ["spec.indicator.prometheus.good", "too_long"],
      ["spec.indicator.prometheus.query", "unknown_property"],
      ["spec.indicator.prometheus.total", "invalid_format"],
      ["spec.indicator.prometheus.url", "url_not_http"],
    ])
    expect(read({}).issues).toEqual([
      ["spec.indicator.prometheus.good", "required"],
      ["spec.indicator.prometheus.total", "required"],
      ["spec.indicator.prometheus.url", "required"],
    ])
  })
})
