import type { SyntaxNode } from "@lezer/common"
import * as Result from "effect/Result"
import { checkPromQl, parsePromQl } from "./CheckPromQl.ts"
import { withoutComments } from "./Comments.ts"
import { argumentsOf, type Carrier, carriedBy, textOf } from "./EventCarriers.ts"
import { queryPlaceholders } from "./Placeholders.ts"
import type { PromQlAdvice, PromQlAdvisor, QueryUse } from "./PromQlAdvice.ts"
import { edited, type Edit } from "./PromQlEdit.ts"

const minuteMs = 60_000

/**
 * Finds queries that are valid, but do not return what they are used for, and writes the right ones.
 *
 * | query for good events | suggestion |
 * |---|---|
 * | `sum(rate(a[5m]))` | `sum(increase(a[1m]))` |
 * | `sum(increase(a[5m]))` | `sum(increase(a[1m]))` |
 * | `sum(a_total)` | `sum(increase(a_total[1m]))` |
 * | `sum(rate(a[1m])) / sum(rate(b[1m]))` | `sum(increase(a[1m]))` |
 */
export const promqlAdvisor: PromQlAdvisor = {
  advise: (expression, use) => adviceOf(expression, use, true),
  oneSeries: (expression, use) => {
    const root = treeOf(expression)
    return root === undefined ? undefined : aggregated(root, expression, use)
  },
  metricNames: (expression) => {
    const root = treeOf(expression)
    return root === undefined ? [] : namesIn(root, expression)
  },
}

const treeOf = (expression: string): SyntaxNode | undefined => {
  const parsed = parsePromQl(expression)
  return Result.isSuccess(parsed) ? withoutComments(parsed.success, expression).tree : undefined
}

/** `isWritten`: with suggestions, each of which is checked by asking again. */
const adviceOf = (expression: string, use: QueryUse, isWritten: boolean): ReadonlyArray<PromQlAdvice> => {
  const root = treeOf(expression)
  if (root === undefined) return []
  const problems = [...usageProblems(root, expression, use), ...placeholderProblems(root, expression)]
  if (!isWritten) return problems.map(({ code, message }) => ({ code, message }))
  return problems.map(({ code, message, edits }): PromQlAdvice => {
    const suggestion = edits === undefined ? undefined : suggestionOf(expression, edits, use, code)
    return { code, message, ...(suggestion !== undefined && { suggestion }) }
  })
}

interface Problem extends Pick<PromQlAdvice, "code" | "message"> {
  /** What corrects the query in everything that its kind has; absent where nothing does. */
  readonly edits?: ReadonlyArray<Edit>
}

/** A suggestion is valid, and nothing of its kind is wrong with it. */
const suggestionOf = (
  expression: string,
  edits: ReadonlyArray<Edit>,
  use: QueryUse,
  code: PromQlAdvice["code"],
): string | undefined => {
  const text = edited(expression, edits)?.trim()
  if (text === undefined || text === expression || checkPromQl(text).length > 0) return undefined
  return adviceOf(text, use, false).some((each) => each.code === code) ? undefined : text
}

const usageProblems = (root: SyntaxNode, text: string, use: QueryUse): ReadonlyArray<Problem> => {
  if (use === "value") return []
  const { carriers, ratio, thresholds } = carriedBy(root, text)
  if (use === "counter") return counterProblems(carriers)
  if (carriers.length === 0 && ratio !== undefined) return ratioProblems(ratio, root, text, use)
  const corrections = carriers.flatMap((carrier) => correctionOf(carrier) ?? [])
  // All corrections of a query are made together: what it returns is one number.
  const edits = [
    ...corrections.flatMap((each) => each.edits ?? []),
    ...thresholds.flatMap(({ number, value, carriers: compared }) => {
      const scales = new Set(compared.map((each) => scaleOf(each, corrections)))
      const [scale = 1] = scales
      if (scales.size !== 1 || scale === 1) return []
      return { from: number.from, to: number.to, text: `${Number((value * scale).toPrecision(12))}` }
    }),
  ]
  const isWritable = corrections.every((each) => each.edits !== undefined)
  const codes = new Set(corrections.map(({ code }) => code))
  return [...codes].map((code) => ({
    code,
    message: corrections.find((each) => each.code === code)?.message ?? "",
    ...(isWritable && { edits }),
  }))
}

interface Correction extends Problem {
  readonly carrier: Carrier
  /** How many times greater the values become. */
  readonly scale: number
}

const scaleOf = ({ node }: Carrier, corrections: ReadonlyArray<Correction>): number =>
  corrections.find(({ carrier }) => carrier.node.from === node.from && carrier.node.to === node.to)?.scale ??
  1

/** What a part must be to carry the events of the last minute; `undefined` if it does. */
const correctionOf = (carrier: Carrier): Correction | undefined => {
  const { kind, rangeMs } = carrier
  const minutes = rangeMs / minuteMs
  const factor = carrier.factors.reduce((product, { value }) => product * value, 1)
  switch (kind) {
    case "counter":
      return {
        carrier,
        code: "counter_without_increase",
        message: `returns the value of the counter ${carrier.name} since its process started, not the number of events in the last minute. Use increase with a range of 1m`,
        // What its total was compared with means nothing for its increase.
        scale: 1,
        edits: increaseOf(carrier),
      }
    case "rateRule":
      return isNear(factor, 60)
        ? undefined
        : {
            carrier,
            code: "rate_not_count",
            message: `returns events per second, according to the name of the rule ${carrier.name}, not the number of events in the last minute: 12 events count as 0.2. Multiply it by 60`,
            scale: 60,
            edits: operated(carrier, "* 60"),
          }
    case "countRule":
      return minutes === 1 || isNear(factor * minutes, 1)
        ? undefined
        : {
            carrier,
            code: "range_not_one_minute",
            message: `${countedTwice(carrier.name, rangeMs)}. Divide it by ${minutes}`,
            scale: 1 / minutes,
            edits: operated(carrier, `/ ${minutes}`),
          }
    case "rate":
      return rateCorrection(carrier, factor)
    case "count":
      return countCorrection(carrier, factor)
  }
}

const rateCorrection = (carrier: Carrier, factor: number): Correction | undefined => {
  const { node, name, rangeMs, ranged } = carrier
  const isPerMinute = isNear(factor, 60)
  if (isPerMinute && name === "rate" && rangeMs === minuteMs) return undefined
  if (isPerMinute && name === "rate") {
    return {
      carrier,
      code: "range_not_one_minute",
      message: `${spread(rangeMs)}. Use a range of 1m`,
      scale: 1,
      ...(ranged !== undefined && { edits: [toMinute(ranged)] }),
    }
  }
  const seconds = rangeMs / 1_000
  const [only] = carrier.factors
  if (rangeMs !== minuteMs && isNear(factor, seconds)) {
    const isOne =
      carrier.factors.length === 1 && only?.number.name === "NumberDurationLiteral" && only.value > 1
    return {
      carrier,
      code: "range_not_one_minute",
      message: `${countedTwice(name, rangeMs)}. Use a range of 1m`,
      scale: minuteMs / rangeMs,
      ...(ranged !== undefined &&
        isOne && { edits: [...toFunction(node, ranged, "rate"), { ...placeOf(only.number), text: "60" }] }),
    }
  }
  const averaged =
    name === "irate"
      ? " of its last two samples"
      : rangeMs === minuteMs
        ? ""
        : `, averaged over ${lengthText(rangeMs)}`
  return {
    carrier,
    code: "rate_not_count",
    message: `returns events per second${averaged}, not the number of events in the last minute: 12 events count as 0.2. Use increase with a range of 1m`,
    scale: isPerMinute ? 1 : 60,
    ...(ranged !== undefined && { edits: toFunction(node, ranged, isPerMinute ? "rate" : "increase") }),
  }
}

const countCorrection = (carrier: Carrier, factor: number): Correction | undefined => {
  const { name, rangeMs, ranged } = carrier
  const isOneMinute = rangeMs === minuteMs
  const isPerSecond = isNear(factor * (rangeMs / 1_000), 1)
  const isAveraged = isNear((factor * rangeMs) / minuteMs, 1)
  if (isOneMinute && !isPerSecond) return undefined
  const edits = ranged === undefined ? undefined : isOneMinute ? [] : [toMinute(ranged)]
  const [only] = carrier.factors
  if (isPerSecond || isAveraged) {
    const isOne = carrier.factors.length === 1 && only !== undefined
    const dropped =
      isOne && edits !== undefined
        ? [
            ...edits,
            only.number.from < only.part.from
              ? { from: only.operation.from, to: only.part.from, text: "" }
              : { from: only.part.to, to: only.operation.to, text: "" },
          ]
        : undefined
    return {
      carrier,
      code: isPerSecond ? "rate_not_count" : "range_not_one_minute",
      message: isPerSecond
        ? "returns events per second, not the number of events in the last minute: 12 events count as 0.2. Do not divide it"
        : `${spread(rangeMs)}. Use a range of 1m`,
      scale: isPerSecond ? 60 : 1,
      ...(dropped !== undefined && { edits: dropped }),
    }
  }
  return {
    carrier,
    code: "range_not_one_minute",
    message: `${countedTwice(name, rangeMs)}. Use a range of 1m`,
    scale: minuteMs / rangeMs,
    ...(edits !== undefined && { edits }),
  }
}

const isNear = (value: number, expected: number): boolean => Math.abs(value / expected - 1) < 1e-6

const countedTwice = (name: string, rangeMs: number): string =>
  rangeMs > minuteMs
    ? `is read once a minute, but ${name} covers ${lengthText(rangeMs)}: each event is counted ${Number((rangeMs / minuteMs).toPrecision(3))} times`
    : `is read once a minute, but ${name} covers ${lengthText(rangeMs)}: events of the other ${lengthText(minuteMs - rangeMs)} are not counted`

const spread = (rangeMs: number): string =>
  rangeMs > minuteMs
    ? `spreads the events of a minute over ${lengthText(rangeMs)}, so that an outage looks smaller and later`
    : `treats the events of ${lengthText(rangeMs)} as the events of one minute`

const lengthText = (ms: number): string => {
  const units = [
    [86_400_000, "d"],
    [3_600_000, "h"],
    [60_000, "m"],
    [1_000, "s"],
  ] as const
  const [length, unit] = units.find(([each]) => ms >= each && ms % each === 0) ?? [1, "ms"]
  return `${ms / length}${unit}`
}

const placeOf = ({ from, to }: { readonly from: number; readonly to: number }) => ({ from, to })

/** Writes the range of a function as a minute, without the step of a subquery. */
const toMinute = (ranged: SyntaxNode): Edit => ({
  from: ranged.firstChild?.to ?? ranged.to,
  to: ranged.to,
  text: "[1m]",
})

/** Writes a call as that of another function with a range of a minute. */
const toFunction = (node: SyntaxNode, ranged: SyntaxNode, name: string): ReadonlyArray<Edit> => {
  const called = node.getChild("FunctionIdentifier")
  return [...(called === null ? [] : [{ ...placeOf(called), text: name }]), toMinute(ranged)]
}

/** Writes a selector with an operation in parentheses, which bind as the selector did. */
const operated = ({ node: { from, to } }: Carrier, operation: string): ReadonlyArray<Edit> => [
  { from, to: from, text: "(" },
  { from: to, to, text: ` ${operation})` },
]

/** Writes a selector, with what moves its times, as its increase. */
const increaseOf = ({ node }: Carrier): ReadonlyArray<Edit> => {
  let end = node.to
  // In the grammar, what moves the times of the last part of an operation is around the operation.
  for (let at = node.parent; at !== null; at = at.parent) {
    const isMove = at.name === "OffsetExpr" || at.name === "StepInvariantExpr"
    if ((isMove ? at.firstChild?.to : at.to) !== end) break
    end = at.to
  }
  return [
    { from: node.from, to: node.from, text: "increase(" },
    { from: node.to, to: node.to, text: "[1m]" },
    { from: end, to: end, text: ")" },
  ]
}

const counterProblems = (carriers: ReadonlyArray<Carrier>): ReadonlyArray<Problem> => {
  const calls = carriers.filter(({ kind, name }) => kind === "rate" || name === "increase")
  const [first] = calls
  if (first === undefined) return []
  const edits = calls.map(({ node, ranged }) => ranged && withoutCall(node, ranged))
  return [
    {
      code: "increase_of_increase",
      message: `must return a counter, as incremental is true: its increase is computed, and ${first.name} has computed it already. Use the counter itself`,
      ...(edits.every((each) => each !== undefined) && { edits: edits.flat() }),
    },
  ]
}

/** Writes `rate(a[5m])` as `a`. */
const withoutCall = (node: SyntaxNode, ranged: SyntaxNode): ReadonlyArray<Edit> => {
  const given = argumentsOf(node)[0]
  const selector = ranged.firstChild
  if (given === undefined || selector === null) return []
  return [
    { from: node.from, to: given.from, text: "" },
    { from: selector.to, to: ranged.to, text: "" },
    { from: given.to, to: node.to, text: "" },
  ]
}

const ratioProblems = (
  { numerator, denominator }: { readonly numerator: SyntaxNode; readonly denominator: SyntaxNode },
  root: SyntaxNode,
  text: string,
  use: QueryUse,
): ReadonlyArray<Problem> => {
  const part = use === "total" ? denominator : numerator
  const own = textOf(part, text)
  const advice = adviceOf(own, use, true)
  const corrected =
    advice.length === 0 ? own : advice.find(({ suggestion }) => suggestion !== undefined)?.suggestion
  // Of `1 - errors / total`, the numerator is not the good events.
  const isWhole = isOnly(root, numerator.parent)
  return [
    {
      code: "ratio_not_count",
      message: `returns a ratio, not a number of events. ${use === "total" ? "Use its denominator" : `Use its numerator, and its denominator for total`}`,
      ...(isWhole && corrected !== undefined && { edits: [{ from: 0, to: text.length, text: corrected }] }),
    },
  ]
}

/** Whether a query is one of its parts, but for parentheses. */
const isOnly = (root: SyntaxNode, part: SyntaxNode | null): boolean => {
  let at: SyntaxNode | null = root
  while (at !== null && (at.name === "PromQL" || at.name === "ParenExpr")) at = at.firstChild
  return at !== null && at.from === part?.from && at.to === part.to && at.name === part.name
}

/** Strings that another tool would replace match no series. */
const placeholderProblems = (root: SyntaxNode, text: string): ReadonlyArray<Problem> => {
  if (queryPlaceholders(text).length === 0) return []
  const found: Array<{ readonly placeholder: string; readonly matcher: SyntaxNode }> = []
  root.cursor().iterate(({ name, node }) => {
    if (name !== "UnquotedLabelMatcher" && name !== "QuotedLabelMatcher") return
    const [placeholder] = queryPlaceholders(textOf(node.lastChild, text))
    if (placeholder !== undefined) found.push({ placeholder, matcher: node })
  })
  const [first] = found
  if (first === undefined) return []
  return [
    {
      code: "foreign_placeholder",
      message: `contains ${first.placeholder}, which is not replaced here, so no series matches. Write the value, or omit the matcher`,
      edits: found.map(({ matcher }) => withoutMatcher(matcher)),
    },
  ]
}

/** Omits a matcher with the comma after it or, of the last one, before it. */
const withoutMatcher = ({ from, to, prevSibling, nextSibling }: SyntaxNode): Edit =>
  nextSibling === null
    ? { from: prevSibling?.to ?? from, to, text: "" }
    : { from, to: nextSibling.from, text: "" }

/** The query of one series; `undefined` if it is one already. */
const aggregated = (root: SyntaxNode, text: string, use: QueryUse): string | undefined => {
  const query = root.firstChild
  if (query === null || isOneSeries(query, text)) return undefined
  const modifier = query.name === "AggregateExpr" ? query.getChild("AggregateModifier") : null
  const [operator, body] = [query.getChild("AggregateOp"), query.getChild("FunctionCallBody")]
  const isKept =
    modifier === null || operator === null || body === null || selecting.has(textOf(operator, text))
  // A comment ends with its line.
  const end = text.includes("#") ? "\n" : ""
  const edits = isKept
    ? [
        { from: 0, to: 0, text: `${use === "value" ? "max" : "sum"}(` },
        { from: text.length, to: text.length, text: `${end})` },
      ]
    : [
        modifier.from < body.from
          ? { from: operator.to, to: body.from, text: "" }
          : { from: body.to, to: modifier.to, text: "" },
      ]
  const written = edited(text, edits)
  return written !== undefined && checkPromQl(written).length === 0 ? written : undefined
}

const isOneSeries = (node: SyntaxNode, text: string): boolean => {
  switch (node.name) {
    case "NumberDurationLiteral":
      return true
    case "AggregateExpr":
      return (
        node.getChild("AggregateModifier") === null &&
        !selecting.has(textOf(node.getChild("AggregateOp"), text))
      )
    case "FunctionCall":
      return /^(?:absent|absent_over_time|pi|scalar|time|vector)$/.test(
        textOf(node.getChild("FunctionIdentifier"), text),
      )
    default:
      return false
  }
}

/** Aggregations that return several series, or those that they have chosen. */
const selecting: ReadonlySet<string> = new Set(["bottomk", "count_values", "limit_ratio", "limitk", "topk"])

const namesIn = (root: SyntaxNode, text: string): ReadonlyArray<string> => {
  const names = new Set<string>()
  root.cursor().iterate(({ name, node }) => {
    if (name !== "VectorSelector") return
    const identifier = textOf(node.getChild("Identifier"), text)
    if (identifier !== "") names.add(identifier)
  })
  return [...names]
}
