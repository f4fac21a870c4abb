import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { dayMs } from "@tocsin/domain/codec"
import type { OrganizationId } from "@tocsin/domain/kernel"
import {
  clientOrganizationsMax,
  type Credential,
  credentialCacheMs,
  CredentialStore,
} from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { LRUCache } from "lru-cache"
import { searchText } from "../database/Parameters.ts"
import { readAcrossOrganizations } from "../database/AcrossOrganizations.ts"
import { dropOldRows } from "../database/Retention.ts"
import { storeOperation } from "../database/PortOperation.ts"

/**
 * Credentials in PostgreSQL, with a cache of at most 10,000 for `cacheMs`.
 *
 * Changes of this process take effect at once, changes of other processes within `cacheMs`.
 */
export const make = (cacheMs: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const cache = new LRUCache<string, { readonly credential: Credential; readonly readAt: number }>({
      max: cacheMax,
    })

    const changing = (organization: OrganizationId, clientId: string, changed: Statement) =>
      changed.pipe(
        Effect.map((rows) => rows.length > 0),
        Effect.ensuring(Effect.sync(() => cache.delete(cacheKey(organization, clientId)))),
      )

    const read = operation("read", (organization: OrganizationId, clientId: string) =>
      credentialsOf(sql<CredentialRow>`
          SELECT ${sql.literal(columns)} FROM credentials
          WHERE organization = ${searchText(organization)} AND client_id = ${searchText(clientId)}`),
    )

    return CredentialStore.of({
      create: operation("create", ({ organization, clientId, role, secretHash, isDisabled, createdAt }) =>
        changing(
          organization,
          clientId,
          sql`
            INSERT INTO credentials (organization, client_id, role, secret_hash, is_disabled, created_at)
            VALUES (${organization}, ${clientId}, ${role}, ${secretHash}, ${isDisabled}, ${createdAt})
            ON CONFLICT DO NOTHING RETURNING true`,
        ),
      ),
      find: (organization, clientId) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const key = cacheKey(organization, clientId)
          const known = cache.get(key)
          if (known !== undefined && Math.abs(now - known.readAt) < cacheMs) {
            return Effect.succeedSome(known.credential)
          }
          return Effect.map(read(organization, clientId), ([credential]) => {
            if (credential !== undefined && cacheMs > 0) cache.set(key, { credential, readAt: now })
            return Option.fromNullishOr(credential)
          })
        }),
      read: (organization, clientId) =>
        Effect.map(read(organization, clientId), ([credential]) => Option.fromNullishOr(credential)),
      readAnywhere: operation("readAnywhere", (clientId) =>
        Effect.map(
          credentialsOf(
            readAcrossOrganizations(
              sql,
              sql<CredentialRow>`
                SELECT ${sql.literal(columns)} FROM credentials WHERE client_id = ${searchText(clientId)}
                ORDER BY created_at, organization LIMIT ${clientOrganizationsMax}`,
            ),
          ),
          (all) =>
            all
              .toSorted((a, b) => a.createdAt - b.createdAt || (a.organization < b.organization ? -1 : 1))
              .slice(0, clientOrganizationsMax),
        ),
      ),
      closeSession: operation("closeSession", (organization, sessionId, expiresAt) =>
        Effect.map(
          sql`
            INSERT INTO closed_sessions (organization, session_id, expires_at)
            VALUES (${organization}, ${sessionId}, ${expiresAt}) ON CONFLICT DO NOTHING RETURNING true`,
          (rows) => rows.length > 0,
        ),
      ),
      isSessionClosed: operation("isSessionClosed", (organization, sessionId) =>
        Effect.map(
          sql`
            SELECT FROM closed_sessions WHERE organization = ${organization} AND session_id = ${sessionId}`,
          (rows) => rows.length > 0,
        ),
      ),
      list: operation("list", (organization) =>
        credentialsOf(sql<CredentialRow>`
          SELECT ${sql.literal(columns)} FROM credentials WHERE organization = ${organization} ORDER BY client_id`),
      ),
      replaceSecret: operation("replaceSecret", (organization, clientId, secretHash, until) =>
        credentialsOf(sql<CredentialRow>`
          UPDATE credentials SET secret_hash = ${secretHash}, previous_until = ${until ?? null},
            previous_hash = ${until === undefined ? null : sql`secret_hash`}
          WHERE organization = ${organization} AND client_id = ${searchText(clientId)}
          RETURNING ${sql.literal(columns)}`).pipe(
          Effect.map(([credential]) => Option.fromNullishOr(credential)),
          Effect.ensuring(Effect.sync(() => cache.delete(cacheKey(organization, clientId)))),
        ),
      ),
      markUsed: operation("markUsed", (organization, clientId, at) =>
        Effect.asVoid(sql`
          UPDATE credentials SET last_used_at = ${at}
          WHERE organization = ${organization} AND client_id = ${searchText(clientId)}
            AND (last_used_at IS NULL OR last_used_at < ${at})`),
      ),
      disable: operation("disable", (organization, clientId) =>
        changing(
          organization,
          clientId,
          sql`
            UPDATE credentials SET is_disabled = true
            WHERE organization = ${organization} AND client_id = ${searchText(clientId)} RETURNING true`,
        ),
      ),
      delete: operation("delete", (organization, clientId) =>
        changing(
          organization,
          clientId,
          sql`
            DELETE FROM credentials
            WHERE organization = ${organization} AND client_id = ${searchText(clientId)} RETURNING true`,
        ),
      ),
    })
  })

/** The credentials of a database. */
export const layer: Layer.Layer<CredentialStore, never, SqlClient.SqlClient> = Layer.effect(
  CredentialStore,
  make(credentialCacheMs),
)

/**
 * Deletes the closed sessions whose tokens have expired, at `now` (Unix milliseconds). It waits for a week longer, as the
 * clock may be set back and make the token valid again.
 */
export const dropClosedSessions = (sql: SqlClient.SqlClient, now: number) =>
  dropOldRows(sql, "closed_sessions", sql`expires_at <= ${now - closedSessionRetentionMs}`)

const closedSessionRetentionMs = 7 * dayMs

const operation = storeOperation("CredentialStore")

const cacheMax = 10_000

const cacheKey = (organization: OrganizationId, clientId: string): string =>
  `${organization}\u0000${clientId}`

type Statement = Effect.Effect<ReadonlyArray<unknown>, SqlError>

interface CredentialRow extends Omit<Credential, "previousSecret" | "lastUsedAt"> {
  readonly previousHash: string | null
  readonly previousUntil: number | null
  readonly lastUsedAt: number | null
}

const columns = `organization, client_id AS "clientId", role, secret_hash AS "secretHash", is_disabled AS "isDisabled",
  created_at AS "createdAt", previous_hash AS "previousHash", previous_until AS "previousUntil",
  last_used_at AS "lastUsedAt"`

const credentialsOf = <E>(rows: Effect.Effect<ReadonlyArray<CredentialRow>, E>) =>
  Effect.map(rows, (all) =>
    all.map(({ previousHash, previousUntil, lastUsedAt, ...credential }): Credential => ({
      ...credential,
      ...(previousHash !== null &&
        previousUntil !== null && { previousSecret: { hash: previousHash, until: previousUntil } }),
      ...(lastUsedAt !== null && { lastUsedAt }),
    })),
  )
