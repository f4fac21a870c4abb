import {
  type DatabaseTls,
  innermostMessage,
  isCertificateRejected,
  isTlsRefused,
  type PgConnection,
  sqlStateOf,
} from "@tocsin/adapters-pg/admin"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { SqlError } from "effect/sql/SqlError"
import { readFile } from "node:fs/promises"

export class DatabaseFileIsUnusable extends Data.TaggedError("DatabaseFileIsUnusable")<{
  readonly message: string
}> {}

/**
 * Reads the parameters of `DATABASE_URL`: the PEM files of `sslrootcert`, `sslcert` and `sslkey`, and `pgbouncer=true`
 * for a pooler in transaction mode.
 *
 * The driver reads `sslmode`. Its `require` verifies the certificate, like `verify-full`.
 */
export const connectionOfUrl = (
  url: Redacted.Redacted<string>,
): Effect.Effect<PgConnection, DatabaseFileIsUnusable> =>
  Effect.gen(function* () {
    const parameters = new URL(Redacted.value(url)).searchParams
    const files: Array<readonly [keyof DatabaseTls, string]> = []
    for (const [parameter, part] of tlsParameters) {
      const file = parameters.get(parameter)
      if (file !== null) files.push([part, yield* readPem(parameter, file)])
    }
    const isEncrypted = parameters.get("sslmode") !== "disable" && files.length > 0
    return {
      url,
      ...(isEncrypted && { tls: Object.fromEntries(files) }),
      isPooled: parameters.get("pgbouncer") === "true",
    }
  })

const tlsParameters = [
  ["sslrootcert", "ca"],
  ["sslcert", "cert"],
  ["sslkey", "key"],
] as const

const readPem = (parameter: string, file: string) =>
  Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (cause) =>
      new DatabaseFileIsUnusable({
        message: `cannot read ${file}, the ${parameter} of DATABASE_URL (${(cause as NodeJS.ErrnoException).code})`,
      }),
  })

/** Why a database cannot be used, and what to do. Contains no password. */
export const databaseFailureText = (cause: unknown): string => {
  const advice = isCertificateRejected(cause)
    ? "set sslrootcert in DATABASE_URL to the CA of the certificate of PostgreSQL, and the host to a name of the certificate"
    : isTlsRefused(cause)
      ? "set ssl = on in the configuration of PostgreSQL, or remove sslmode from DATABASE_URL"
      : (adviceBySqlState[(cause instanceof SqlError && sqlStateOf(cause)) || ""] ??
        "check that it is running and that DATABASE_URL is correct")
  return `cannot use the database: ${innermostMessage(cause)}; ${advice}`
}

const adviceBySqlState: Readonly<Record<string, string>> = {
  "28000":
    "check the role and sslmode of DATABASE_URL, sslcert and sslkey if a certificate is required, and pg_hba.conf",
  "28P01": "check the role and password of DATABASE_URL",
  "3D000": "create the database, or fix its name in DATABASE_URL",
  "08P01": "if it is a pooler in transaction mode, add pgbouncer=true to DATABASE_URL",
}
