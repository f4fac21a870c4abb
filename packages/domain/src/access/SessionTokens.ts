import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"

/** What a session of the web console is opened with. Times are Unix milliseconds. Source: decision 0704. */
export interface Session {
  readonly organization: OrganizationId
  readonly clientId: string
  /** When the credential was created: one that was made anew under its client id is another. */
  readonly credentialCreatedAt: number
  /** On a whole second. */
  readonly expiresAt: number
}

/**
 * Port: makes the tokens that browsers keep of sessions, and reads them. They are good for sessions alone: an access
 * token is no session, and a session no access token.
 */
export class SessionTokens extends Context.Service<
  SessionTokens,
  {
    readonly issue: (session: Session) => Effect.Effect<string>
    /** What the token says, if it is one of ours and good at `now` (Unix milliseconds). */
    readonly verify: (token: string, now: number) => Effect.Effect<Session, SessionIsInvalid>
  }
>()("@tocsin/domain/access/SessionTokens") {}

/** The session is not one of ours, has expired, or its credential is gone. Source: decision 0704. */
export class SessionIsInvalid extends Data.TaggedError("SessionIsInvalid")<{
  readonly reason: "malformed" | "expired" | "credential_disabled"
}> {}
