import * as Result from "effect/Result"
import { ParameterIsInvalid } from "../codec/ParameterIsInvalid.ts"

/** Longest `Idempotency-Key`, in characters. */
export const idempotencyKeyMaxCharacters = 255

/**
 * Parses the header `Idempotency-Key`: 1 to 255 visible ASCII characters, including quotes.
 *
 * Source: draft-ietf-httpapi-idempotency-key-header-07, section 2.
 */
export const parseIdempotencyKey = (
  header: string | undefined,
): Result.Result<string | undefined, ParameterIsInvalid> => {
  if (header === undefined) return Result.succeed(undefined)
  return header.length <= idempotencyKeyMaxCharacters && /^[!-~]+$/.test(header)
    ? Result.succeed(header)
    : Result.fail(
        new ParameterIsInvalid({
          code: "idempotency_key_invalid",
          propertyName: "Idempotency-Key",
          propertyValue: header,
          detail: `Idempotency-Key must be 1 to ${idempotencyKeyMaxCharacters} visible ASCII characters`,
        }),
      )
}
