import type { PromQlFunction } from "./PromQlFunction.ts"
import { compileRegex, type LabelRegex } from "./LabelRegex.ts"
import { QueryFailed } from "./QueryErrors.ts"
import { joinSameLabels, type Labels, type Value } from "./Series.ts"

/** As many values are gone through in the time of a step of a regular expression with groups. */
const stepValues = 4

const textOf = (value: Value | undefined): string => (value?.kind === "string" ? value.value : "")

const labelName = (function_: string, value: Value | undefined): string => {
  const name = textOf(value)
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new QueryFailed({ detail: `invalid label name in ${function_}(): ${name}` })
  }
  return name
}

const withLabel = (labels: Labels, name: string, value: string): Labels => {
  const changed = new Map(labels)
  if (value === "") changed.delete(name)
  else changed.set(name, value)
  return changed
}

const relabelled = (vector: Value | undefined, relabel: (labels: Labels) => Labels): Value => {
  const series = vector?.kind === "vector" ? vector.series : []
  return {
    kind: "vector",
    series: joinSameLabels(series.map((each) => ({ ...each, labels: relabel(each.labels) }))),
  }
}

/** Writes the groups of a match as Go does: `$1`, `${1}`, `$name`, and `$$` for a dollar. */
const expand = (
  template: string,
  groups: ReadonlyArray<string | undefined>,
  names: ReadonlyMap<string, number>,
): string =>
  template.replaceAll(/\$(?:(\$)|\{(\w+)\}|(\w+))/g, (_, dollar?: string, braced?: string, bare?: string) => {
    if (dollar !== undefined) return "$"
    const name = braced ?? bare ?? ""
    const number = /^\d+$/.test(name) ? Number(name) : names.get(name)
    return (number === undefined ? undefined : groups[number]) ?? ""
  })

/** The functions that change labels, by name. */
export const labelFunctions: Readonly<Record<string, PromQlFunction>> = {
  label_replace: {
    arguments: ["vector", "string", "string", "string", "string"],
    returns: "vector",
    apply: ([vector, target, replacement, source, pattern], { work }) => {
      let regex: LabelRegex
      try {
        regex = compileRegex(textOf(pattern))
      } catch (cause) {
        if (!(cause instanceof SyntaxError)) throw cause
        throw new QueryFailed({
          detail: `invalid regular expression in label_replace(): ${textOf(pattern)}: ${cause.message}`,
        })
      }
      const name = labelName("label_replace", target)
      return relabelled(vector, (labels) => {
        const text = labels.get(textOf(source)) ?? ""
        work.spend(stepValues * regex.size * text.length)
        const groups = regex.groups(text)
        return groups === undefined
          ? labels
          : withLabel(labels, name, expand(textOf(replacement), groups, regex.names))
      })
    },
  },
  label_join: {
    arguments: ["vector", "string", "string", "string"],
    optional: Infinity,
    returns: "vector",
    apply: ([vector, target, separator, ...sources]) => {
      const name = labelName("label_join", target)
      const names = sources.map((source) => labelName("label_join", source))
      return relabelled(vector, (labels) =>
        withLabel(labels, name, names.map((each) => labels.get(each) ?? "").join(textOf(separator))),
      )
    },
  },
}
