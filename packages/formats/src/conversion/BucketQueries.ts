import { boundPattern } from "@tocsin/domain/definitions"
import { calledBy, operandsOf, type ParsedQuery, partsOf, type PromQlNode, textOf } from "./PromQlNode.ts"
import { matchersOf, withoutZero } from "./QueryLabels.ts"

interface Replacement {
  readonly from: number
  readonly to: number
  readonly text: string
}

/**
 * Replaces matchers of the bound of a bucket, so that they match it however it is written, as `1` and as `1.0`, which Prometheus 3
 * writes: `le="1"` becomes `le=~"1|1\\.0"`.
 */
export const readsBothBounds = (text: string, root: PromQlNode): ReadonlyArray<Replacement> =>
  partsOf(root).flatMap((selector) =>
    selector.name !== "VectorSelector"
      ? []
      : matchersOf(text, selector).flatMap(({ label, operator, value, node }) => {
          const isRegex = operator === "=~" || operator === "!~"
          const bounds = isRegex ? value.split("|") : [value]
          if (label !== "le" || !bounds.some((bound) => numericBound.test(bound))) return []
          const patterns = bounds.flatMap((bound) => {
            const spellings = numericBound.test(bound) ? boundPattern(Number(bound)).split("|") : []
            const own = isRegex ? bound : bound.replaceAll(/[.+]/g, "\\\\$&")
            return spellings.includes(own) ? spellings : [own, ...spellings]
          })
          if (patterns.length === bounds.length) return []
          const sign = operator === "=" || operator === "=~" ? "=~" : "!~"
          return [{ from: node.from, to: node.to, text: `le${sign}"${patterns.join("|")}"` }]
        }),
  )

/** A bound as a number, which has no special characters of a regular expression but perhaps a point. */
const numericBound = /^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

/**
 * The histogram whose buckets queries count: of the good events those of a bucket, or of the bad events all without a bucket, and of
 * all events `_count` or the bucket `+Inf`. `undefined` for other queries.
 */
export const histogramOfBuckets = (
  part: ParsedQuery,
  isBad: boolean,
  total: ParsedQuery,
): { readonly histogram: { readonly series: string }; readonly value: number } | undefined => {
  const whole = countOf(total.text, total.root)
  if (whole === undefined || !isWhole(whole)) return undefined
  const good = isBad ? subtracted(part, whole) : countOf(part.text, part.root)
  if (good?.bound === undefined || good.histogram !== whole.histogram || good.suffix !== "bucket")
    return undefined
  if (good.matchers !== whole.matchers || !/^[\d.]+(?:e[-+]?\d+)?$/i.test(good.bound)) return undefined
  const value = Number(good.bound)
  if (!Number.isFinite(value)) return undefined
  const matchers = whole.matchers === "" ? "" : `{${whole.matchers}}`
  return { histogram: { series: `${whole.histogram}${matchers}` }, value }
}

/** Of `all - bucket`, the bucket. */
const subtracted = ({ text, root }: ParsedQuery, whole: BucketCount): BucketCount | undefined => {
  const difference = withoutZero(text, root)
  if (difference.name !== "BinaryExpr" || difference.getChild("Sub") === null) return undefined
  const [left, right] = operandsOf(difference)
  if (left === undefined || right === undefined) return undefined
  const all = countOf(text, left)
  const isSame = all?.histogram === whole.histogram && all.matchers === whole.matchers && isWhole(all)
  return isSame ? countOf(text, right) : undefined
}

interface BucketCount {
  /** The name of the histogram. */
  readonly histogram: string
  readonly suffix: string
  /** The matchers besides that of the bound, in order. */
  readonly matchers: string
  readonly bound: string | undefined
}

const isWhole = ({ suffix, bound }: BucketCount): boolean =>
  suffix === "count" ? bound === undefined : bound === "+Inf"

/** The series whose growth a query adds up: `sum(rate(x_bucket{le="1"}[1m]))`. */
const countOf = (text: string, node: PromQlNode): BucketCount | undefined => {
  const inner = withoutZero(text, node)
  if (inner.name === "AggregateExpr") {
    const operator = inner.getChild("AggregateOp")
    const [summed] = operandsOf(inner)
    return operator !== null && textOf(text, operator).toLowerCase() === "sum" && summed !== undefined
      ? countOf(text, summed)
      : undefined
  }
  const called = calledBy(text, inner)
  const [range] = operandsOf(inner)
  if ((called !== "rate" && called !== "increase") || range?.name !== "MatrixSelector") return undefined
  const duration = range.getChild("DurationExpr")
  const [selector] = operandsOf(range)
  if (selector === undefined || duration === null || textOf(text, duration).trim() !== "1m") return undefined
  const name = selector.getChild("Identifier")
  const [, histogram, suffix] = /^(.+)_(bucket|count)$/.exec(name === null ? "" : textOf(text, name)) ?? []
  if (histogram === undefined || suffix === undefined) return undefined
  const matchers = matchersOf(text, selector)
  const bounds = matchers.filter(({ label }) => label === "le")
  if (bounds.length > 1 || bounds.some(({ operator }) => operator !== "=")) return undefined
  return {
    histogram,
    suffix,
    matchers: matchers
      .filter(({ label }) => label !== "le")
      .map(({ operator, node: { firstChild, lastChild } }) =>
        [firstChild, lastChild].map((each) => (each === null ? "" : textOf(text, each))).join(operator),
      )
      .toSorted()
      .join(","),
    bound: bounds[0]?.value,
  }
}
