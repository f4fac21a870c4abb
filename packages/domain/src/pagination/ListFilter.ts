import * as Result from "effect/Result"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"
import { dateTimeToMs } from "../codec/MinuteInstant.ts"

/** Parses a repeatable query parameter with values of `allowed`; `undefined` if it is omitted or empty. */
export const parseChoices = <Choice extends string>(
  propertyName: "state" | "status" | "severity" | "event" | "kind" | "format",
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

/** Parses a repeatable query parameter that is a number; absent if every value is empty. */
export const parseNumbers = (
  propertyName: string,
  texts: ReadonlyArray<string>,
): Result.Result<ReadonlyArray<number> | undefined, ParameterIsInvalid> => {
  const given = texts.filter((text) => text !== "")
  const invalid = given.find((text) => !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text))
  if (invalid !== undefined) {
    const detail = `${propertyName} must be a number, such as 0.5`
    return Result.fail(
      new ParameterIsInvalid({ code: "number_invalid", propertyName, propertyValue: invalid, detail }),
    )
  }
  return Result.succeed(given.length > 0 ? given.map(Number) : undefined)
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
  const instant = dateTimeToMs(text)
  if (instant !== undefined) return Result.succeed(instant)
  const detail = `${name} must be a date-time, such as 2026-01-30T12:00:00Z or 2026-01-30T13:00:00+01:00`
  return Result.fail(
    new ParameterIsInvalid({ code: "date_time_invalid", propertyName: name, propertyValue: text, detail }),
  )
}
