import { make as makeSecretBox } from "@tocsin/adapters-http/internal/crypto/SecretBoxNode"
import { migrate } from "@tocsin/adapters-pg/internal/migrations/Migrations"
import { runEmbeddedPostgres } from "@tocsin/server/postgres/EmbeddedPostgres"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Runs a durable PostgreSQL with the schema until the scope closes, and gives how to connect to it. */
export const benchDatabase = Effect.gen(function* () {
  const dataDirectory = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const made = mkdtempSync(join(tmpdir(), "tocsin-bench-"))
      chmodSync(made, 0o755)
      return made
    }),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true })),
  )
  const connection = yield* runEmbeddedPostgres({ dataDirectory })
  yield* migrate(connection)
  return connection
})

/** Seals the secrets of benchmarks. */
export const benchBox = makeSecretBox({ current: Redacted.make(new Uint8Array(32).fill(1)), previous: [] })
