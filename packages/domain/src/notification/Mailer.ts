import * as Context from "effect/Context"
import { TaggedError } from "../TaggedError.ts"
import type * as Effect from "effect/Effect"
import type { FailureReason } from "./FailureReason.ts"

/** An email to one recipient, from the sender of the server. */
export interface Mail {
  /** An address without a name, such as `ada@example.com`. */
  readonly to: string
  /** One line. */
  readonly subject: string
  /** The body as plain text. */
  readonly text: string
  /** Further headers, such as `List-Unsubscribe`. */
  readonly headers: Readonly<Record<string, string>>
}

/** The mail server did not accept an email. */
export class MailFailure extends TaggedError("MailFailure")<{
  /** Why, from a closed set. */
  readonly reason: FailureReason
  /** A clause for the delivery log, without an address and the words of the mail server. */
  readonly detail: string
  /** Whether the same email will never be accepted, such as one to a mailbox that does not exist. */
  readonly isPermanent: boolean
}> {}

/** Sends emails over the mail server of the operator. */
export interface MailSender {
  /** Sends one email; succeeds once the mail server has accepted it. */
  readonly send: (mail: Mail) => Effect.Effect<void, MailFailure>
}

/** Port: sends emails. By default, there is no mail server, and nothing offers email. */
export const Mailer = Context.Reference<MailSender | undefined>(
  "@tocsin/domain/internal/notification/Mailer",
  { defaultValue: () => undefined },
)
