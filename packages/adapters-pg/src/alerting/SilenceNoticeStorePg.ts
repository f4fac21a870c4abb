import { type DueNotice, nextEndNotice, SilenceNoticeStore } from "@tocsin/domain/adapter"
import type { OrganizationId, ProjectKey } from "@tocsin/domain/kernel"
import { type DefinitionChange, SecretBox } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import { type DefinitionRow, rowToDefinitionOf } from "../database/DefinitionRow.ts"
import { forEachOrganization, organizationRow } from "../database/ForEachOrganization.ts"
import { bigints, keyArrays } from "../database/Parameters.ts"
import { storeOperation } from "../database/PortOperation.ts"
import { logUnreadableRow } from "../database/StoredRow.ts"
import { makeIsDistributed } from "../database/CitusTables.ts"
import { DeliveryHints } from "../delivery/DeliveryHints.ts"
import { withHistory } from "../delivery/DeliveryHistory.ts"
import { enqueueDeliveries } from "../delivery/EnqueueDeliveries.ts"

/** Notices of silences in PostgreSQL. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const box = yield* SecretBox
  const hints = yield* DeliveryHints
  const isDistributed = makeIsDistributed(sql)

  return SilenceNoticeStore.of({
    due: operation("due", (now, limit) =>
      Effect.gen(function* () {
        const found = yield* readAcrossOrganizations(
          sql,
          sql<ProjectKey & { readonly organization: OrganizationId; readonly due_at: number }>`
            SELECT organization, project, name, due_at FROM silence_notices WHERE due_at <= ${now}
            ORDER BY due_at LIMIT ${limit}`,
        )
        const rows = yield* forEachOrganization(
          found.slice(0, limit),
          (organization, some) =>
            sql<DefinitionRow & { readonly organization: OrganizationId; readonly due_at: number }>`
              SELECT d.*, n.due_at FROM unnest(${keyArrays(sql, some)}) AS k (project, name)
              JOIN silence_notices n
                ON n.organization = ${organization} AND n.project = k.project AND n.name = k.name
              JOIN definitions d ON d.organization = ${organization} AND d.kind = 'AlertSilence'
                AND d.project = k.project AND d.name = k.name`,
        )
        const dues: Array<DueNotice> = []
        for (const row of rows) {
          const { organization, due_at: dueAt } = row
          const silence = rowToDefinitionOf("AlertSilence", box, organization, row)
          // It must not keep the others from being sent.
          if (Result.isFailure(silence)) yield* logUnreadableRow(organization, silence.failure)
          else if (dueAt <= now) dues.push({ organization, silence: silence.success, dueAt })
        }
        return dues.toSorted((a, b) => a.dueAt - b.dueAt)
      }),
    ),
    settle: (organization, { project, name }, dueAt, { nextDueAt, event }) =>
      operation(
        "settle",
        hints.enqueue(organization, (enqueuing) =>
          withHistory(
            sql,
            sql.withTransaction(
              Effect.gen(function* () {
                const isDue = sql`organization = ${organization} AND project = ${project} AND name = ${name}
                AND due_at = ${dueAt}`
                const rows = yield* nextDueAt === undefined
                  ? sql`DELETE FROM silence_notices WHERE ${isDue} RETURNING true`
                  : sql`UPDATE silence_notices SET due_at = ${nextDueAt} WHERE ${isDue} RETURNING true`
                if (rows.length === 0) return false
                if (event !== undefined)
                  yield* enqueueDeliveries(sql, isDistributed, organization, [event], enqueuing)
                return true
              }),
            ),
          ),
        ),
      ),
  })
})

/** The notices of a database, on the hints that they share with the queue. */
export const layer = Layer.effect(SilenceNoticeStore, make)

const operation = storeOperation("SilenceNoticeStore")

/** Sets when the notices of the silences of a change are due. */
export const putSilenceNotices = (
  sql: SqlClient.SqlClient,
  organization: OrganizationId,
  { put, remove }: DefinitionChange,
  now: number,
) =>
  Effect.gen(function* () {
    const silences = put.flatMap(({ definition }) => (definition.kind === "AlertSilence" ? [definition] : []))
    const keys = [
      ...silences.map(({ metadata }) => metadata),
      ...remove.filter(({ kind }) => kind === "AlertSilence"),
    ]
    if (keys.length === 0) return
    yield* sql`
      DELETE FROM silence_notices n USING unnest(${keyArrays(sql, keys)}) AS k (project, name)
      WHERE n.organization = ${organization} AND n.project = k.project AND n.name = k.name`
    const dues = silences.flatMap((definition) => {
      const dueAt = nextEndNotice({ definition, updatedAt: now }, now)
      return dueAt === undefined ? [] : [{ ...definition.metadata, dueAt }]
    })
    if (dues.length === 0) return
    yield* sql`
      INSERT INTO silence_notices (organization, project, name, due_at)
      SELECT o.organization, given.* FROM ${organizationRow(sql, organization)} CROSS JOIN unnest(
        ${keyArrays(sql, dues)}, ${bigints(dues.map(({ dueAt }) => dueAt))}
      ) AS given (project, name, due_at)`
  })
