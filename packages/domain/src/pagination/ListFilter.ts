import * as Result from "effect/Result"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import { parseUtcInstant } from "../codec/MinuteInstant.ts"

/** Parses a repeatable query parameter with values of `allowed`; `undefined` if it is omitted or empty. */
export const parseChoices = <Choice extends string>(
  propertyName: "state" | "event" | "order" | "format",
  texts: ReadonlyArray<string>,
  allowed: ReadonlyArray<Choice>,
): Result.Result<ReadonlyArray<Choice> | undefined, ParameterIsInvalid> => {
  const choices: Array<Choice> = []
  for (const text of texts.filter((each) => each !== "")) {
    const choice = allowed.find((each) => each === text)
    if (choice === undefined) {
      const detail = `${propertyName} must be one of ${allowed.join(", ")}`
      return Result.fail(
        new ParameterIsInvalid({
          code: `${propertyName}_invalid`,
          propertyName,
          propertyValue: text,
          detail,
        }),
      )
    }
    if (!choices.includes(choice)) choices.push(choice)
  }
  return Result.succeed(choices.length > 0 ? choices : undefined)
}

/** Parses the query parameters `from` and `to`, date-times of RFC 3339, into Unix milliseconds; absent if omitted or empty. */
export const parseTimes = (query: {
  readonly from?: string | undefined
  readonly to?: string | undefined
}): Result.Result<{ readonly from?: number; readonly to?: number }, ParameterIsInvalid> =>
  Result.gen(function* () {
    const from = yield* parseTime("from", query.from)
    const to = yield* parseTime("to", query.to)
    return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  })

const parseTime = (
  name: string,
  text: string | undefined,
): Result.Result<number | undefined, ParameterIsInvalid> => {
  if (text === undefined || text === "") return Result.succeed(undefined)
  const instant = parseUtcInstant(text) ?? parseOffsetInstant(text)
  if (instant !== undefined) return Result.succeed(instant)
  const detail = `${name} must be a date-time, such as 2026-01-30T12:00:00Z or 2026-01-30T13:00:00+01:00`
  return Result.fail(
    new ParameterIsInvalid({ code: "date_time_invalid", propertyName: name, propertyValue: text, detail }),
  )
}

/** An instant whose text ends with an offset from UTC, such as `+01:00`. */
const parseOffsetInstant = (text: string): number | undefined => {
  const [, local = "", sign, hours, minutes] = /^(.+)([+-])([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  const asUtc = parseUtcInstant(`${local}Z`)
  if (asUtc === undefined) return undefined
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000
  return sign === "+" ? asUtc - offsetMs : asUtc + offsetMs
}
