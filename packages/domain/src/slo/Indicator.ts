import * as Result from "effect/Result"
import type { AddressPolicy } from "../alert-method/AddressPolicy.ts"
import { parseSourceUrl } from "../alert-method/WebhookUrl.ts"
import { objectOf } from "../codec/ObjectRule.ts"
import { type Rule, text } from "../codec/Rule.ts"
import { Limits } from "../Limits.ts"

/** Where the counts of an SLO are read from, when nobody sends them. Source: decision 0605. */
export interface Indicator {
  readonly prometheus: PrometheusIndicator
}

/** A Prometheus server, and what to ask it. Source: decision 0605. */
export interface PrometheusIndicator {
  /** Where the server's paths begin, as written: `http(s)://`, host, port, and a prefix of the path if there is one. */
  readonly url: string
  /** PromQL of one series: how many events of the last minute were good. */
  readonly good: string
  /** PromQL of one series: how many events there were in the last minute. */
  readonly total: string
}

/** The property `spec.indicator` of an SLO; `addressPolicy` says where the server may be. Source: decision 0605. */
export const indicator = (addressPolicy: AddressPolicy): Rule<Indicator> =>
  objectOf((reader) => {
    const prometheus = reader.required("prometheus", prometheusIndicator(addressPolicy))
    return prometheus && { prometheus }
  })

const prometheusIndicator = (addressPolicy: AddressPolicy): Rule<PrometheusIndicator> =>
  objectOf((reader) => {
    const url = reader.required("url", sourceUrl(addressPolicy))
    const good = reader.required("good", expression)
    const total = reader.required("total", expression)
    return url === undefined || good === undefined || total === undefined ? undefined : { url, good, total }
  })

const expression = text({
  max: Limits.promqlMaxCharacters,
  format: { pattern: /\S/, message: "must be an expression of PromQL" },
})

const sourceUrl =
  (addressPolicy: AddressPolicy): Rule<string> =>
  (value, path, issues) => {
    if (typeof value !== "string") return issues.add(path, "wrong_type", "must be text")
    const url = parseSourceUrl(value, addressPolicy)
    return Result.isSuccess(url) ? value : issues.add(path, url.failure.code, url.failure.message)
  }
