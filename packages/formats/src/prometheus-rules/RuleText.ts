import type { IssueList } from "@tocsin/domain/codec"
import type { Labels } from "@tocsin/domain/kernel"

/** Labels of a rule, or annotations. */
export type LabelSet = Readonly<Record<string, string>>

/** A duration of PromQL, such as `1d12h`; never 0. */
export const promqlDuration = (ms: number): string => {
  let rest = ms
  const parts = units.map(([unit, length]) => {
    const count = Math.floor(rest / length)
    rest -= count * length
    return count === 0 ? "" : `${count}${unit}`
  })
  return parts.join("") || "1ms"
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const

/** `{slo="checkout"}`. Names of objects need no escapes. */
export const selectorOf = (labels: LabelSet): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(",")}}`

/** `fast-burn` becomes `SloFastBurn`. */
export const alertNameOf = (name: string): string =>
  `Slo${name
    .split("-")
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join("")}`

/**
 * Labels of an object as Prometheus labels: `team-name` becomes `label_team_name`, and several values are
 * comma-separated. Of labels that become the same, the first is kept, with an issue.
 */
export const labelsOf = (labels: Labels, issues: IssueList): LabelSet => {
  const result: Record<string, string> = {}
  for (const [key, values] of Object.entries(labels)) {
    const name = `label_${key.replaceAll("-", "_")}`
    if (Object.hasOwn(result, name)) {
      const message = `cannot be expressed in rules: another label already becomes ${name}`
      issues.add(`metadata.labels.${key}`, "duplicate", message)
    } else result[name] = literalText(values.join(","))
  }
  return result
}

/** Text in a label or an annotation, which Prometheus reads as a template. */
export const literalText = (text: string): string => text.replaceAll("{{", '{{"{{"}}')
