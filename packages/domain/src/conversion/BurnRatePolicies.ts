import { alertingWindowMaxMs, alertingWindowMinMs, type Severity } from "../alert-policy/AlertPolicy.ts"
import type { IssueList } from "../codec/Issue.ts"
import { dayMs, hourMs, minuteMs } from "../codec/MinuteInstant.ts"
import type { ConversionResult } from "./ConversionResult.ts"

/** An alert on the burn rate over a long and a short window, which many SLOs share. */
export interface BurnRateTier {
  readonly severity: Severity
  readonly factor: number
  readonly longMs: number
  readonly shortMs: number
}

/** The alert policies of the burn rate alerts that other programs derive from an SLO's window. */
export class BurnRatePolicies {
  readonly #result: ConversionResult
  readonly #names = new Map<string, string>()

  constructor(result: ConversionResult) {
    this.#result = result
  }

  /**
   * Returns the names of the policies of these alerts, in their order. An alert whose windows no policy can have gets a
   * note and is omitted; `isComplete` is `false` then.
   */
  namesOf(
    tiers: ReadonlyArray<BurnRateTier>,
    issues: IssueList,
    path: string,
  ): { readonly names: ReadonlyArray<string>; readonly isComplete: boolean } {
    const isNew = tiers.some((tier) => !this.#names.has(nameOf(tier)))
    const found = tiers.map((tier) => this.#nameOf(tier, issues, path))
    const names = found.filter((name) => name !== undefined)
    if (isNew && names.length > 0) {
      const message =
        "becomes alert policies without alert methods; add spec.alertMethods to them before you apply the result"
      issues.add(path, "not_allowed_value", message)
    }
    return { names, isComplete: names.length === tiers.length }
  }

  #nameOf(tier: BurnRateTier, issues: IssueList, path: string): string | undefined {
    const written = nameOf(tier)
    const known = this.#names.get(written)
    if (known !== undefined) return known
    const { severity, factor, longMs, shortMs } = tier
    const [long, short] = [lengthText(longMs), lengthText(shortMs)]
    if (shortMs < alertingWindowMinMs || longMs > alertingWindowMaxMs) {
      const message = `has an alert over ${long} and ${short}, which is omitted: alerting windows last ${lengthText(alertingWindowMinMs)} to ${lengthText(alertingWindowMaxMs)}`
      return issues.add(path, "out_of_range", message)
    }
    const conditions = [longMs, shortMs].map((ms) => ({
      measurement: "averageBurnRate",
      value: factor,
      op: "gte",
      alertingWindow: `${ms / minuteMs}m`,
    }))
    const displayName = `Burn rate ${factor} over ${long} and ${short}`
    const spec = { severity, conditions }
    const name = this.#result.add("AlertPolicy", { name: written, displayName }, spec, issues, () => path)
    if (name !== undefined) this.#names.set(written, name)
    return name
  }
}

/** The same alert has the same name in every conversion. */
const nameOf = ({ severity, factor, longMs, shortMs }: BurnRateTier): string =>
  `burn-rate-${String(factor).replace(".", "-")}-${lengthText(longMs)}-${lengthText(shortMs)}-${severity.toLowerCase()}`

const lengthText = (ms: number): string => {
  if (ms % dayMs === 0) return `${ms / dayMs}d`
  return ms % hourMs === 0 ? `${ms / hourMs}h` : `${ms / minuteMs}m`
}
