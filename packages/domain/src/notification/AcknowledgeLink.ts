import * as Context from "effect/Context"
import { TaggedError } from "../TaggedError.ts"
import type * as Effect from "effect/Effect"
import type { OrganizationId } from "../metadata/ObjectKey.ts"

/** Lifetime of a link that acknowledges an alert, from the attempt that sends it, in milliseconds. */
export const acknowledgeLinkLifetimeMs = 86_400_000

/** The path of the page that acknowledges an alert, under the public base URL. */
export const acknowledgePath = "/acknowledge"

/** The token in the links of previews and tests, which have no alert. */
export const testAcknowledgeToken = "test"

/** The alert that a link acknowledges. */
export interface LinkedAlert {
  /** The organization that it belongs to. */
  readonly organization: OrganizationId
  /** The alert that the link acknowledges. */
  readonly alertId: string
}

/** Port: issues and verifies the tokens of links that acknowledge an alert. */
export class AcknowledgeTokens extends Context.Service<
  AcknowledgeTokens,
  {
    /** A token of unreserved characters (RFC 3986, section 2.3). Times are in Unix milliseconds. */
    readonly issue: (alert: LinkedAlert, expiresAt: number) => Effect.Effect<string>
    readonly verify: (token: string, now: number) => Effect.Effect<LinkedAlert, AcknowledgeTokenIsInvalid>
  }
>()("@tocsin/domain/internal/notification/AcknowledgeTokens") {}

/** The link does not lead to an alert. */
export class AcknowledgeTokenIsInvalid extends TaggedError("AcknowledgeTokenIsInvalid")<{
  /** What is wrong with its token. */
  readonly reason: "malformed" | "expired"
}> {}

/**
 * The URL of the page for a token. The token is in the query, which no log of the server has:
 * `https://tocsin.example.com/acknowledge?token=test`.
 */
export const acknowledgeLink = (baseUrl: string, token: string): string =>
  `${baseUrl.endsWith("/") ? baseUrl.slice(0, -1) : baseUrl}${acknowledgePath}?token=${token}`
