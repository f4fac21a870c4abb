import { make as makeSecretBox } from "@tocsin/adapters-http/internal/crypto/SecretBoxNode"
import * as PgStores from "@tocsin/adapters-pg/internal/PgStores"
import * as WebhookTransportRecording from "@tocsin/adapters-memory/internal/WebhookTransportRecording"
import { SecretBox } from "@tocsin/domain/internal/secret/SecretBox"
import * as Layer from "effect/Layer"
import { apiPortsWith, masterKey } from "../http/api-ports.ts"
import { fuzzSuite } from "../http/fuzz.ts"
import { newDatabase } from "./TestDatabase.ts"

const stores = PgStores.layer({ connection: await newDatabase("schema") }).pipe(
  Layer.provide(Layer.succeed(SecretBox, makeSecretBox({ current: masterKey, previous: [] }))),
  Layer.orDie,
)

fuzzSuite("PostgreSQL", apiPortsWith(WebhookTransportRecording.make().layer, stores), 12)
