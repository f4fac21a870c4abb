import { compileRegex, type LabelRegex } from "./LabelRegex.ts"
import { labelsValues, type Parts, type Work } from "./Parts.ts"
import { type PromQlFunction, vectorOf } from "./PromQlFunction.ts"
import { QueryFailed } from "./QueryErrors.ts"
import { type EvaluatedSeries, joinSameLabels, type Labels, type Value } from "./Series.ts"

/** As many values are gone through in the time of a step of a regular expression with groups. */
const stepValues = 4

/** As many values are gone through in the time that compiling an instruction of a regular expression takes. */
const compiledValues = 200

const textOf = (value: Value | undefined): string => (value?.kind === "string" ? value.value : "")

const labelName = (function_: string, value: Value | undefined): string => {
  const name = textOf(value)
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new QueryFailed({ detail: `invalid label name in ${function_}(): ${name}` })
  }
  return name
}

/** Most characters of all labels of a series to which a query adds one. */
const writtenLabelsMaxCharacters = 2_000

const tooLong = (name: string): QueryFailed =>
  new QueryFailed({
    detail: `with the label ${name}, the labels of a series would have more than ${writtenLabelsMaxCharacters} characters`,
  })

const withLabel = (labels: Labels, name: string, value: string | undefined): Labels => {
  if (value === undefined) throw tooLong(name)
  let characters = name.length + value.length
  for (const [other, text] of labels) if (other !== name) characters += other.length + text.length
  if (characters > writtenLabelsMaxCharacters) throw tooLong(name)
  const changed = new Map(labels)
  if (value === "") changed.delete(name)
  else changed.set(name, value)
  return changed
}

/** Changes the labels of series; `workOf` is how many values are gone through in the time that it takes. */
function* relabelled(
  vector: Value | undefined,
  work: Work,
  relabel: (labels: Labels) => Labels,
  workOf: (labels: Labels) => number,
): Parts<Value> {
  const relabelled: Array<EvaluatedSeries> = []
  for (const each of vectorOf(vector)) {
    if (work.spend(workOf(each.labels))) yield
    relabelled.push({ ...each, labels: relabel(each.labels) })
  }
  return { kind: "vector", series: yield* joinSameLabels(relabelled, work) }
}

/** Writes the groups of a match as Go does: `$1`, `${1}`, `$name`, and `$$` for a dollar; `undefined` if that would be too long. */
const expand = (
  template: string,
  groups: ReadonlyArray<string | undefined>,
  names: ReadonlyMap<string, number>,
): string | undefined => {
  let written = 0
  const expanded = template.replaceAll(
    /\$(?:(\$)|\{(\w+)\}|(\w+))/g,
    (_, dollar?: string, braced?: string, bare?: string) => {
      if (dollar !== undefined) return "$"
      const name = braced ?? bare ?? ""
      const number = /^\d+$/.test(name) ? Number(name) : names.get(name)
      const group = (number === undefined ? undefined : groups[number]) ?? ""
      written += group.length
      return written > writtenLabelsMaxCharacters ? "" : group
    },
  )
  return written > writtenLabelsMaxCharacters ? undefined : expanded
}

/** Joins texts; `undefined` if that would be too long. */
const join = (texts: ReadonlyArray<string>, separator: string): string | undefined => {
  const length = texts.reduce((sum, text) => sum + text.length, separator.length * (texts.length - 1))
  return length > writtenLabelsMaxCharacters ? undefined : texts.join(separator)
}

/** The functions that change labels, by name. */
export const labelFunctions: Readonly<Record<string, PromQlFunction>> = {
  label_replace: {
    arguments: ["vector", "string", "string", "string", "string"],
    returns: "vector",
    *apply([vector, target, replacement, source, pattern], { work }) {
      let regex: LabelRegex
      try {
        regex = compileRegex(textOf(pattern))
      } catch (cause) {
        if (!(cause instanceof SyntaxError)) throw cause
        throw new QueryFailed({
          detail: `invalid regular expression in label_replace(): ${textOf(pattern)}: ${cause.message}`,
        })
      }
      if (work.spend(compiledValues * regex.size)) yield
      const name = labelName("label_replace", target)
      const textIn = (labels: Labels): string => labels.get(textOf(source)) ?? ""
      const template = textOf(replacement)
      const groupsWritten = template.split("$").length - 1
      return yield* relabelled(
        vector,
        work,
        (labels) => {
          const groups = regex.groups(textIn(labels))
          return groups === undefined
            ? labels
            : withLabel(labels, name, expand(template, groups, regex.names))
        },
        (labels) =>
          labelsValues + template.length + (stepValues * regex.size + groupsWritten) * textIn(labels).length,
      )
    },
  },
  label_join: {
    arguments: ["vector", "string", "string", "string"],
    optional: Infinity,
    returns: "vector",
    apply: ([vector, target, separator, ...sources], { work }) => {
      const name = labelName("label_join", target)
      const names = sources.map((source) => labelName("label_join", source))
      const textsIn = (labels: Labels) => names.map((each) => labels.get(each) ?? "")
      return relabelled(
        vector,
        work,
        (labels) => withLabel(labels, name, join(textsIn(labels), textOf(separator))),
        (labels) =>
          textsIn(labels).reduce(
            (sum, text) => sum + text.length + textOf(separator).length,
            labelsValues + names.length,
          ),
      )
    },
  },
}
