import { endpointPrefix, recipientOf, storedSubscriber } from "@tocsin/domain/features/status-page"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { redact, reveal, type SecretBox, type SecretPlace } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { texts } from "../database/Parameters.ts"
import { inRow } from "../database/StoredRow.ts"

/** Where the secrets of a subscription belong. */
export const subscriptionPlace = (organization: OrganizationId, id: string): SecretPlace => ({
  organization,
  record: `StatusPageSubscription/${id}`,
})

/** Reads what was sealed of a subscription. */
export const readSubscriber = (id: string, secret: Redacted.Redacted<Uint8Array>) => {
  const text = new TextDecoder().decode(reveal(secret))
  return Result.map(
    inRow(`subscription ${id}`, storedSubscriber.read(text, undefined)),
    ({ contact, token }) => ({ contact: redact(contact), token: redact(token) }),
  )
}

/** What a subscription is found by in place of its recipient, whom only the holder of the master key can look for. */
export const contactHash = (
  box: SecretBox["Service"],
  organization: OrganizationId,
  project: string,
  contact: Redacted.Redacted<string>,
): string => box.hash(`subscription of ${organization} ${project} ${recipientOf(contact)}`)

/** Deletes subscriptions of an organization with the health of their endpoints, and returns how many. Must run within a transaction. */
export const removeSubscriptions = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  which: Fragment,
) =>
  Effect.gen(function* () {
    const removed = yield* sql<{ readonly project: string; readonly id: string }>`
      DELETE FROM status_page_subscriptions WHERE organization = ${organization} AND ${which} RETURNING project, id`
    if (removed.length > 0)
      yield* sql`
        DELETE FROM endpoints e USING unnest(
          ${texts(removed.map(({ project }) => project))}, ${texts(removed.map(({ id }) => `${endpointPrefix}${id}`))}
        ) AS k (project, name)
        WHERE e.organization = ${organization} AND e.project = k.project AND e.name = k.name`
    return removed.length
  })
