import {
  type StatusPageSubscription,
  storedSubscriber,
  type SubscriptionKind,
  subscriptionsMax,
  subscriptionsPerPageMax,
} from "@tocsin/domain/features/status-page"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { redact, reveal, SecretBox, StatusPageSubscriptionStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import { makeIsDistributed } from "../database/CitusTables.ts"
import { forEachOrganization } from "../database/ForEachOrganization.ts"
import { searchText, texts } from "../database/Parameters.ts"
import { storeOperation } from "../database/PortOperation.ts"
import { readPage } from "../database/StoredRow.ts"
import { DeliveryHints } from "../delivery/DeliveryHints.ts"
import { withHistory } from "../delivery/DeliveryHistory.ts"
import { enqueueDeliveries } from "../delivery/EnqueueDeliveries.ts"
import { contactHash, readSubscriber, removeSubscriptions, subscriptionPlace } from "./SubscriptionRows.ts"

/** Subscriptions to status pages in PostgreSQL; contacts and tokens are encrypted. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const box = yield* SecretBox
  const hints = yield* DeliveryHints
  const isDistributed = makeIsDistributed(sql)

  const rowToSubscription = (organization: OrganizationId, row: SubscriptionRow) =>
    Result.gen(function* () {
      const { id, project, kind } = row
      const bytes = yield* box.open(subscriptionPlace(organization, id), {
        keyId: row.sealing_key_id,
        bytes: row.sealed,
      })
      const subscription: StatusPageSubscription = {
        id,
        project,
        kind,
        ...(yield* readSubscriber(id, bytes)),
        createdAt: row.created_at,
        ...(row.confirmed_at !== null && { confirmedAt: row.confirmed_at }),
        ...(row.expires_at !== null && { expiresAt: row.expires_at }),
      }
      return subscription
    })

  const firstOf = (organization: OrganizationId, [row]: ReadonlyArray<SubscriptionRow>) =>
    row === undefined
      ? Effect.succeedNone
      : Effect.asSome(Effect.fromResult(rowToSubscription(organization, row)))

  /** Changes of the subscriptions of a page wait for one another. */
  const lock = (organization: OrganizationId, project: string) => sql`
    INSERT INTO status_page_audiences AS a (organization, project, due_at) VALUES (${organization}, ${project}, 0)
    ON CONFLICT (organization, project) DO UPDATE SET due_at = a.due_at`

  const removeExpired = (organization: OrganizationId, project: string, now: number) =>
    removeSubscriptions(sql, organization, sql`project = ${project} AND expires_at <= ${now}`)

  const isFull = (organization: OrganizationId, project: string) =>
    Effect.map(
      sql<{ readonly of_page: number; readonly of_all: number }>`
        SELECT (
          SELECT count(*)::integer FROM (
            SELECT FROM status_page_subscriptions WHERE organization = ${organization} AND project = ${project}
            LIMIT ${subscriptionsPerPageMax}) AS of_page
        ) AS of_page, (
          SELECT count(*)::integer FROM (
            SELECT FROM status_page_subscriptions WHERE organization = ${organization} LIMIT ${subscriptionsMax}) AS of_all
        ) AS of_all`,
      ([row]) => (row?.of_page ?? 0) >= subscriptionsPerPageMax || (row?.of_all ?? 0) >= subscriptionsMax,
    )

  return StatusPageSubscriptionStore.of({
    put: (organization, subscription, tokenHash, now, event) => {
      const { id, project, kind, contact, token, createdAt, confirmedAt, expiresAt } = subscription
      const { json } = storedSubscriber.write({ contact: reveal(contact), token: reveal(token) })
      const sealed = box.seal(subscriptionPlace(organization, id), redact(new TextEncoder().encode(json)))
      return operation(
        "put",
        hints.enqueue(organization, (enqueuing) =>
          withHistory(
            sql,
            sql.withTransaction(
              Effect.gen(function* () {
                yield* lock(organization, project)
                yield* removeExpired(organization, project, now)
                if (yield* isFull(organization, project)) return "full"
                const rows = yield* sql`
                  INSERT INTO status_page_subscriptions AS s (organization, id, project, kind, contact_hash, token_hash,
                    created_at, confirmed_at, expires_at, sealed, sealing_key_id)
                  VALUES (${organization}, ${id}, ${project}, ${kind},
                    ${contactHash(box, organization, project, contact)}, ${tokenHash}, ${createdAt}, ${confirmedAt ?? null}, ${expiresAt ?? null}, ${Buffer.from(sealed.bytes)},
                    ${sealed.keyId})
                  ON CONFLICT (organization, project, contact_hash) DO UPDATE SET
                    confirmed_at = excluded.confirmed_at, expires_at = excluded.expires_at WHERE s.id = excluded.id
                  RETURNING true`
                if (rows.length === 0) return "known"
                if (event !== undefined)
                  yield* enqueueDeliveries(sql, isDistributed, organization, [event], enqueuing)
                return "stored"
              }),
            ),
          ),
        ),
      )
    },
    findContact: operation("findContact", (organization, project, contact) =>
      Effect.flatMap(
        sql<SubscriptionRow>`
          SELECT * FROM status_page_subscriptions
          WHERE organization = ${organization} AND project = ${searchText(project)}
            AND contact_hash = ${contactHash(box, organization, project, contact)}`,
        (rows) => firstOf(organization, rows),
      ),
    ),
    findToken: operation("findToken", (tokenHash) =>
      Effect.gen(function* () {
        const [found] = yield* readAcrossOrganizations(
          sql,
          sql<{ readonly organization: OrganizationId; readonly id: string }>`
            SELECT organization, id FROM status_page_subscriptions WHERE token_hash = ${tokenHash} LIMIT 1`,
        )
        if (found === undefined) return Option.none()
        const { organization, id } = found
        return Option.map(yield* find(organization, id), (subscription) => ({ organization, subscription }))
      }),
    ),
    find: operation("find", find),
    list: operation("list", (organization, project, { after = "", limit }) =>
      Effect.flatMap(
        sql<SubscriptionRow>`
          SELECT * FROM status_page_subscriptions WHERE ${sql.and([
            sql`organization = ${organization}`,
            sql`id > ${searchText(after)}`,
            ...(project === undefined ? [] : [sql`project = ${searchText(project)}`]),
          ])}
          ORDER BY id LIMIT ${limit + 1}`,
        (rows) => readPage(rows, limit, (row) => rowToSubscription(organization, row)),
      ),
    ),
    confirm: operation("confirm", (organization, id, now) =>
      Effect.map(
        sql`
          UPDATE status_page_subscriptions SET confirmed_at = ${now}, expires_at = NULL
          WHERE organization = ${organization} AND id = ${id} AND expires_at > ${now} RETURNING true`,
        (rows) => rows.length > 0,
      ),
    ),
    remove: operation("remove", (organization, id) =>
      Effect.map(
        sql.withTransaction(removeSubscriptions(sql, organization, sql`id = ${searchText(id)}`)),
        (count) => count > 0,
      ),
    ),
    claim: operation("claim", (now, limit, everyMs) =>
      Effect.gen(function* () {
        // A time far ahead was set by a clock that was ahead.
        const isDue = sql`(due_at <= ${now} OR due_at > ${now + everyMs})`
        const due = yield* readAcrossOrganizations(
          sql,
          sql<PageRow>`
            SELECT organization, project FROM (
              SELECT organization, project, due_at,
                row_number() OVER (PARTITION BY organization ORDER BY due_at) AS turn
              FROM status_page_audiences WHERE ${isDue}
            ) due
            ORDER BY turn, due_at LIMIT ${limit}`,
        )
        const claimed = yield* forEachOrganization(
          due.slice(0, limit),
          (organization, some) =>
            sql<PageRow>`
              UPDATE status_page_audiences SET due_at = ${now + everyMs} WHERE organization = ${organization}
                AND project = ANY (${texts(some.map(({ project }) => project))}) AND ${isDue}
              RETURNING organization, project`,
        )
        const kept: Array<PageRow> = []
        for (const page of claimed) if (yield* keep(page, now)) kept.push(page)
        return kept
      }),
    ),
    recipients: operation("recipients", (organization, project, confirmedUntil) =>
      Effect.map(
        sql<{ readonly id: string }>`
          SELECT id FROM status_page_subscriptions
          WHERE organization = ${organization} AND project = ${project} AND confirmed_at <= ${confirmedUntil}
          ORDER BY id LIMIT ${subscriptionsPerPageMax}`,
        (rows) => rows.map(({ id }) => id),
      ),
    ),
    unannounced: operation("unannounced", (organization, project, keys, now) =>
      Effect.gen(function* () {
        const ofPage = sql`organization = ${organization} AND project = ${project}`
        yield* sql`DELETE FROM status_page_announcements WHERE ${ofPage} AND known_until < ${now}`
        const rows = yield* sql<{ readonly key: string }>`
          SELECT key FROM status_page_announcements WHERE ${ofPage} AND key = ANY (${texts(keys)})`
        const known = new Set(rows.map(({ key }) => key))
        return keys.filter((key) => !known.has(key))
      }),
    ),
    announce: (organization, project, { key, knownUntil }, event) =>
      operation(
        "announce",
        hints.enqueue(organization, (enqueuing) =>
          withHistory(
            sql,
            sql.withTransaction(
              Effect.gen(function* () {
                const rows = yield* sql`
                  INSERT INTO status_page_announcements (organization, project, key, known_until)
                  VALUES (${organization}, ${project}, ${key}, ${knownUntil})
                  ON CONFLICT (organization, project, key) DO NOTHING RETURNING true`
                if (rows.length === 0) return false
                yield* enqueueDeliveries(sql, isDistributed, organization, [event], enqueuing)
                return true
              }),
            ),
          ),
        ),
      ),
  })

  function find(organization: OrganizationId, id: string) {
    return Effect.flatMap(
      sql<SubscriptionRow>`
        SELECT * FROM status_page_subscriptions WHERE organization = ${organization} AND id = ${searchText(id)}`,
      (rows) => firstOf(organization, rows),
    )
  }

  /** Deletes what has expired; `false`, and forgets the page, if it has no subscription. */
  function keep({ organization, project }: PageRow, now: number) {
    const ofPage = sql`organization = ${organization} AND project = ${project}`
    return sql.withTransaction(
      Effect.gen(function* () {
        yield* lock(organization, project)
        yield* removeExpired(organization, project, now)
        const rows = yield* sql`SELECT FROM status_page_subscriptions WHERE ${ofPage} LIMIT 1`
        if (rows.length > 0) return true
        for (const table of ["status_page_audiences", "status_page_announcements"])
          yield* sql`DELETE FROM ${sql(table)} WHERE ${ofPage}`
        return false
      }),
    )
  }
})

/** The subscriptions of a database, on the hints that they share with the queue. */
export const layer = Layer.effect(StatusPageSubscriptionStore, make)

const operation = storeOperation("StatusPageSubscriptionStore")

interface PageRow {
  readonly organization: OrganizationId
  readonly project: string
}

interface SubscriptionRow {
  readonly id: string
  readonly project: string
  readonly kind: SubscriptionKind
  readonly created_at: number
  readonly confirmed_at: number | null
  readonly expires_at: number | null
  readonly sealed: Uint8Array
  readonly sealing_key_id: string
}
