import { ParameterIsInvalid } from "../ParameterIsInvalid.ts"
import { err, ok, type Result } from "../Result.ts"
import { parseUtcInstant } from "../slo/MinuteInstant.ts"

/**
 * Reads the query parameter `state`, which may repeat: some of `allowed`; `undefined` when there is none. An empty text
 * counts as absent.
 *
 * Source: decision 0600.
 */
export const parseStates = <State extends string>(
  texts: ReadonlyArray<string>,
  allowed: ReadonlyArray<State>,
): Result<ReadonlyArray<State> | undefined, ParameterIsInvalid> => {
  const states: Array<State> = []
  for (const text of texts.filter((state) => state !== "")) {
    const state = allowed.find((each) => each === text)
    if (state === undefined) {
      const detail = `state must be one of ${allowed.join(", ")}`
      return err(
        new ParameterIsInvalid({ code: "state_invalid", propertyName: "state", propertyValue: text, detail }),
      )
    }
    states.push(state)
  }
  return ok(states.length > 0 ? states : undefined)
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
