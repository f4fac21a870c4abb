import { alertingWindowMaxMs, alertingWindowMinMs, type Severity } from "@tocsin/domain/alerting"
import { dayMs, hourMs, type IssueList, minuteMs } from "@tocsin/domain/codec"
import type { ConversionResult } from "./ConversionResult.ts"

/** A burn rate over a long and a short window. */
export interface BurnRate {
  readonly factor: number
  readonly longMs: number
  readonly shortMs: number
}

/** An alert on any of these burn rates, which many SLOs share. */
export interface BurnRateAlert {
  readonly severity: Severity
  readonly rates: ReadonlyArray<BurnRate>
  /** How long it waits before it fires. */
  readonly lastsForMs?: number
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
    alerts: ReadonlyArray<BurnRateAlert>,
    issues: IssueList,
    path: string,
  ): { readonly names: ReadonlyArray<string>; readonly isComplete: boolean } {
    const isNew = alerts.some((alert) => !this.#names.has(nameOf(alert)))
    const found = alerts.map((alert) => this.#nameOf(alert, issues, path))
    const names = found.filter((name) => name !== undefined)
    if (isNew && names.length > 0) {
      const message =
        "becomes alert policies without alert methods; add spec.alertMethods to them before you apply the result"
      issues.add(path, "not_allowed_value", message)
    }
    return { names, isComplete: names.length === alerts.length }
  }

  #nameOf(alert: BurnRateAlert, issues: IssueList, path: string): string | undefined {
    const written = nameOf(alert)
    const known = this.#names.get(written)
    if (known !== undefined) return known
    const { severity, rates } = alert
    const unusable = rates.find(
      ({ longMs, shortMs }) => shortMs < alertingWindowMinMs || longMs > alertingWindowMaxMs,
    )
    if (unusable !== undefined) {
      const message = `has an alert over ${windowsText(unusable)}, which is omitted: alerting windows last ${lengthText(alertingWindowMinMs)} to ${lengthText(alertingWindowMaxMs)}`
      return issues.add(path, "out_of_range", message)
    }
    const groups = rates.map((rate) => ({ conditions: conditionsOf(rate, alert) }))
    const [only] = groups
    const displayName = `Burn rate ${rates.map((rate) => `${rate.factor} over ${windowsText(rate)}`).join(", or ")}`
    const spec = {
      severity,
      ...(groups.length === 1 ? { conditions: only?.conditions } : { conditionGroups: groups }),
    }
    const name = this.#result.add("AlertPolicy", { name: written, displayName }, spec, issues, () => path)
    if (name !== undefined) this.#names.set(written, name)
    return name
  }
}

const conditionsOf = (
  { factor, longMs, shortMs }: BurnRate,
  { lastsForMs }: BurnRateAlert,
): ReadonlyArray<object> =>
  [longMs, shortMs].map((ms) => ({
    measurement: "averageBurnRate",
    value: factor,
    op: "gte",
    alertingWindow: `${ms / minuteMs}m`,
    ...(lastsForMs !== undefined && { lastsFor: `${lastsForMs / minuteMs}m` }),
  }))

/** The same alert has the same name in every conversion. */
const nameOf = ({ severity, rates, lastsForMs }: BurnRateAlert): string => {
  const windows = rates.map(
    ({ factor, longMs, shortMs }) =>
      `${String(factor).replace(".", "-")}-${lengthText(longMs)}-${lengthText(shortMs)}`,
  )
  const lasting = lastsForMs === undefined ? "" : `-for-${lengthText(lastsForMs)}`
  return `burn-rate-${windows.join("-or-")}${lasting}-${severity.toLowerCase()}`
}

const windowsText = ({ longMs, shortMs }: BurnRate): string =>
  `${lengthText(longMs)} and ${lengthText(shortMs)}`

const lengthText = (ms: number): string => {
  if (ms % dayMs === 0) return `${ms / dayMs}d`
  return ms % hourMs === 0 ? `${ms / hourMs}h` : `${ms / minuteMs}m`
}
