import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Access } from "./Access.ts"

/** Port: makes access tokens and reads them. */
export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    /** A token that says who the access is; both times are Unix milliseconds. */
    readonly issue: (
      access: Access,
      validity: { readonly issuedAt: number; readonly expiresAt: number },
    ) => Effect.Effect<string>
    /** What the token says, if it is one of ours and good at `now` (Unix milliseconds). */
    readonly verify: (token: string, now: number) => Effect.Effect<Access, AccessTokenIsInvalid>
  }
>()("@tocsin/domain/access/AccessTokens") {}

/** The bearer token is not one of ours, has expired, or its credential is gone. Source: decision 0502. */
export class AccessTokenIsInvalid extends Data.TaggedError("AccessTokenIsInvalid")<{
  readonly reason: "malformed" | "expired" | "credential_disabled"
}> {}
