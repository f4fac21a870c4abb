import { Limits } from "../Limits.ts"
import { ParameterIsInvalid } from "../ParameterIsInvalid.ts"
import { err, ok, type Result } from "../Result.ts"

/**
 * Reads the query parameter `limit`: how many elements a page holds at most.
 *
 * Absent, empty and `0` mean the default, which is the largest page.
 *
 * Source: contract section 4.2; decision 0509.
 */
export const parsePageLimit = (text: string | undefined): Result<number, ParameterIsInvalid> => {
  if (text === undefined || text === "") return ok(Limits.pageSizeMax)
  const limit = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN
  if (limit === 0) return ok(Limits.pageSizeMax)
  return limit <= Limits.pageSizeMax
    ? ok(limit)
    : err(
        new ParameterIsInvalid({
          code: "limit_invalid",
          propertyName: "limit",
          propertyValue: text,
          detail: `limit must be a whole number from 1 to ${Limits.pageSizeMax}`,
        }),
      )
}
