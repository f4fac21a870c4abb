import { Limits } from "../Limits.ts"
import { ParameterIsInvalid } from "../ParameterIsInvalid.ts"
import { err, ok, type Result } from "../Result.ts"

/**
 * Reads the header `Idempotency-Key`: 1 to 255 visible ASCII characters, quotes included if there are any.
 *
 * Source: draft-ietf-httpapi-idempotency-key-header-07 section 2; decision 0601.
 */
export const parseIdempotencyKey = (
  header: string | undefined,
): Result<string | undefined, ParameterIsInvalid> => {
  if (header === undefined) return ok(undefined)
  return header.length <= Limits.idempotencyKeyMaxCharacters && /^[!-~]+$/.test(header)
    ? ok(header)
    : err(
        new ParameterIsInvalid({
          code: "idempotency_key_invalid",
          propertyName: "Idempotency-Key",
          propertyValue: header,
          detail: `Idempotency-Key must be 1 to ${Limits.idempotencyKeyMaxCharacters} visible ASCII characters`,
        }),
      )
}
