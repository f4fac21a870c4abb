import { ParameterIsInvalid } from "../ParameterIsInvalid.ts"
import { err, ok, type Result } from "../Result.ts"
import { parseUtcInstant } from "../slo/MinuteInstant.ts"

/**
 * Reads a query parameter that may repeat: some of `allowed`; `undefined` when there is none. An empty text counts as
 * absent.
 *
 * Source: decision 0600.
 */
export const parseChoices = <Choice extends string>(
  propertyName: "state" | "event" | "order",
  texts: ReadonlyArray<string>,
  allowed: ReadonlyArray<Choice>,
): Result<ReadonlyArray<Choice> | undefined, ParameterIsInvalid> => {
  const choices: Array<Choice> = []
  for (const text of texts.filter((each) => each !== "")) {
    const choice = allowed.find((each) => each === text)
    if (choice === undefined) {
      const detail = `${propertyName} must be one of ${allowed.join(", ")}`
      return err(
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
  return ok(choices.length > 0 ? choices : undefined)
}

/**
 * Reads the query parameters `from` and `to`: date-times in UTC, in Unix milliseconds, each only where it is given. An
 * empty text counts as absent.
 *
 * Source: decision 0600.
 */
export const parseTimes = (query: {
  readonly from?: string | undefined
  readonly to?: string | undefined
}): Result<{ readonly from?: number; readonly to?: number }, ParameterIsInvalid> => {
  const from = parseTime("from", query.from)
  if (!from.ok) return from
  const to = parseTime("to", query.to)
  if (!to.ok) return to
  return ok({
    ...(from.value !== undefined && { from: from.value }),
    ...(to.value !== undefined && { to: to.value }),
  })
}

const parseTime = (
  name: string,
  text: string | undefined,
): Result<number | undefined, ParameterIsInvalid> => {
  if (text === undefined || text === "") return ok(undefined)
  const instant = parseUtcInstant(text)
  if (instant !== undefined) return ok(instant)
  const detail = `${name} must be a date-time in UTC, such as 2026-01-30T12:00:00Z`
  return err(
    new ParameterIsInvalid({ code: "date_time_invalid", propertyName: name, propertyValue: text, detail }),
  )
}
