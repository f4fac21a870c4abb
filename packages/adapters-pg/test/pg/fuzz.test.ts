import { makeSecretBox } from "@tocsin/adapters-http/server"
import { PgStores } from "@tocsin/adapters-pg"
import { WebhookTransportRecording } from "@tocsin/adapters-memory"
import { SecretBox } from "@tocsin/domain/ports"
import * as Layer from "effect/Layer"
import { apiPortsWith, masterKey } from "../../../../test/http/api-ports.ts"
import { fuzzSuite } from "../../../../test/http/fuzz.ts"
import { newDatabase } from "../../../../test/pg/TestDatabase.ts"

const stores = PgStores.layer({ connection: await newDatabase("schema") }).pipe(
  Layer.provide(Layer.succeed(SecretBox, makeSecretBox({ current: masterKey, previous: [] }))),
  Layer.orDie,
)

fuzzSuite("PostgreSQL", apiPortsWith(WebhookTransportRecording.make().layer, stores), 12)
