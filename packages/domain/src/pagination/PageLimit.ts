import * as Result from "effect/Result"
import { Limits } from "../Limits.ts"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"

/**
 * Reads the query parameter `limit`: how many elements a page holds at most.
 *
 * Absent, empty and `0` mean the default, which is the largest page.
 *
 * Source: contract section 4.2; decision 0509.
 */
export const parsePageLimit = (text: string | undefined): Result.Result<number, ParameterIsInvalid> => {
  if (text === undefined || text === "") return Result.succeed(Limits.pageSizeMax)
  const limit = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN
  if (limit === 0) return Result.succeed(Limits.pageSizeMax)
  return limit <= Limits.pageSizeMax
    ? Result.succeed(limit)
    : Result.fail(
        new ParameterIsInvalid({
          code: "limit_invalid",
          propertyName: "limit",
          propertyValue: text,
          detail: `limit must be a whole number from 1 to ${Limits.pageSizeMax}`,
        }),
      )
}
