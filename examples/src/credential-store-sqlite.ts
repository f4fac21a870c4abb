// A `CredentialStore` on SQLite, as an example of an adapter of your own. Its suite is test/embedding/credential-store-sqlite.test.ts.
import {
  clientOrganizationsMax,
  type Credential,
  CredentialStore,
  StoreIsUnavailable,
} from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import sqlite from "node-sqlite3-wasm"

/** A store in a file, which is created if it does not exist. */
export const layer = (file: string): Layer.Layer<CredentialStore> =>
  Layer.effect(
    CredentialStore,
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => new sqlite.Database(file)),
        (database) => Effect.sync(() => database.close()),
      ),
      make,
    ),
  )

const make = (database: sqlite.Database): CredentialStore["Service"] => {
  database.exec(`
    CREATE TABLE IF NOT EXISTS credentials (
      organization TEXT NOT NULL,
      client_id TEXT NOT NULL,
      role TEXT NOT NULL,
      secret_hash TEXT NOT NULL,
      is_disabled INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      previous_hash TEXT,
      previous_until INTEGER,
      last_used_at INTEGER,
      PRIMARY KEY (organization, client_id)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS credentials_client ON credentials (client_id, created_at, organization);
    CREATE TABLE IF NOT EXISTS closed_sessions (
      organization TEXT NOT NULL,
      session_id TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      PRIMARY KEY (organization, session_id)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS closed_sessions_expires_at ON closed_sessions (expires_at);
  `)
  /** SQLite is part of the process, so that what fails once fails again. */
  const attempt = <A>(operation: string, run: () => A) =>
    Effect.try({
      try: run,
      catch: (cause) =>
        new StoreIsUnavailable({ store: "CredentialStore", operation, isRetryable: false, cause }),
    })
  const find = (organization: string, clientId: string) =>
    attempt("find", () =>
      Option.map(
        Option.fromNullishOr(
          // A text that is no Unicode cannot be stored, and so is not there.
          isStorable(clientId)
            ? database.get("SELECT * FROM credentials WHERE organization = ? AND client_id = ?", [
                organization,
                clientId,
              ])
            : undefined,
        ),
        credentialOfRow,
      ),
    )
  return {
    create: ({ organization, clientId, role, secretHash, isDisabled, createdAt }) =>
      attempt("create", () => {
        const { changes } = database.run(
          "INSERT INTO credentials VALUES (?, ?, ?, ?, ?, ?, NULL, NULL, NULL) ON CONFLICT DO NOTHING",
          [organization, clientId, role, secretHash, isDisabled ? 1 : 0, createdAt],
        )
        return changes === 1
      }),
    find,
    read: find,
    closeSession: (organization, sessionId, expiresAt) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        attempt("closeSession", () => {
          database.run("DELETE FROM closed_sessions WHERE expires_at <= ?", [now])
          const { changes } = database.run(
            "INSERT INTO closed_sessions VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [organization, sessionId, expiresAt],
          )
          return changes === 1
        }),
      ),
    isSessionClosed: (organization, sessionId) =>
      attempt("isSessionClosed", () => {
        const key = [organization, sessionId]
        return (
          database.get("SELECT 1 FROM closed_sessions WHERE organization = ? AND session_id = ?", key) !==
          null
        )
      }),
    readAnywhere: (clientId) =>
      attempt("readAnywhere", () =>
        isStorable(clientId)
          ? database
              .all(
                "SELECT * FROM credentials WHERE client_id = ? ORDER BY created_at, organization LIMIT ?",
                [clientId, clientOrganizationsMax],
              )
              .map(credentialOfRow)
          : [],
      ),
    list: (organization) =>
      attempt("list", () =>
        database
          // SQLite compares bytes of UTF-8, which is the order of code points.
          .all("SELECT * FROM credentials WHERE organization = ? ORDER BY client_id", [organization])
          .map(credentialOfRow),
      ),
    replaceSecret: (organization, clientId, secretHash, until) =>
      attempt("replaceSecret", () => {
        if (!isStorable(clientId)) return Option.none()
        const row = database.get(
          `UPDATE credentials SET previous_hash = CASE WHEN ?1 IS NULL THEN NULL ELSE secret_hash END, previous_until = ?1,
            secret_hash = ?2 WHERE organization = ?3 AND client_id = ?4 RETURNING *`,
          [until ?? null, secretHash, organization, clientId],
        )
        return Option.map(Option.fromNullishOr(row), credentialOfRow)
      }),
    markUsed: (organization, clientId, at) =>
      attempt("markUsed", () => {
        database.run(
          "UPDATE credentials SET last_used_at = max(?, coalesce(last_used_at, 0)) WHERE organization = ? AND client_id = ?",
          [at, organization, clientId],
        )
      }),
    disable: (organization, clientId) =>
      attempt("disable", () => {
        const key = [organization, clientId]
        const sql = "UPDATE credentials SET is_disabled = 1 WHERE organization = ? AND client_id = ?"
        return isStorable(clientId) && database.run(sql, key).changes === 1
      }),
    delete: (organization, clientId) =>
      attempt("delete", () => {
        const sql = "DELETE FROM credentials WHERE organization = ? AND client_id = ?"
        return isStorable(clientId) && database.run(sql, [organization, clientId]).changes === 1
      }),
  }
}

const isStorable = (text: string): boolean => !/[\p{Surrogate}\0]/u.test(text)

const credentialOfRow = (row: object): Credential => {
  const { organization, client_id, role, secret_hash, is_disabled, created_at, ...rest } =
    row as CredentialRow
  const { previous_hash: hash, previous_until: until, last_used_at: lastUsedAt } = rest
  return {
    organization,
    clientId: client_id,
    role,
    secretHash: secret_hash,
    isDisabled: is_disabled === 1,
    createdAt: created_at,
    ...(hash !== null && until !== null && { previousSecret: { hash, until } }),
    ...(lastUsedAt !== null && { lastUsedAt }),
  }
}

interface CredentialRow {
  readonly organization: string
  readonly client_id: string
  readonly role: Credential["role"]
  readonly secret_hash: string
  readonly is_disabled: number
  readonly created_at: number
  readonly previous_hash: string | null
  readonly previous_until: number | null
  readonly last_used_at: number | null
}
