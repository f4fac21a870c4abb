import { PgStores } from "@tocsin/adapters-pg"
import { WebhookTransportRecording } from "@tocsin/adapters-memory"
import * as Layer from "effect/Layer"
import { libraryAndApiContract } from "../../../../test/contract/library-and-api.ts"
import { apiPortsWith } from "../../../../test/http/api-ports.ts"
import { layer, passTime } from "../../../../test/pg/TestDatabase.ts"

const stores = PgStores.storesLayer.pipe(Layer.provide(layer))

libraryAndApiContract("on PostgreSQL", apiPortsWith(WebhookTransportRecording.make().layer, stores), passTime)
