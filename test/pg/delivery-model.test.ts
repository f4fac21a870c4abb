import { MemoryStores } from "@tocsin/adapters-memory"
import * as AlertStorePg from "@tocsin/adapters-pg/internal/alerting/AlertStorePg"
import * as DefinitionStorePg from "@tocsin/adapters-pg/internal/definition/DefinitionStorePg"
import * as DeliveryHints from "@tocsin/adapters-pg/internal/delivery/DeliveryHints"
import * as DeliveryLogPg from "@tocsin/adapters-pg/internal/delivery/DeliveryLogPg"
import * as DeliveryQueuePg from "@tocsin/adapters-pg/internal/delivery/DeliveryQueuePg"
import * as EndpointStorePg from "@tocsin/adapters-pg/internal/delivery/EndpointStorePg"
import * as Layer from "effect/Layer"
import { deliveryModel } from "../contract/delivery-model.ts"
import { layer, passTime } from "./TestDatabase.ts"

const stores = Layer.mergeAll(
  AlertStorePg.layer,
  DefinitionStorePg.layer,
  DeliveryLogPg.layer,
  DeliveryQueuePg.layer,
  EndpointStorePg.layer,
).pipe(Layer.provide(DeliveryHints.layer), Layer.provide(layer))

deliveryModel("in memory and in PostgreSQL", [MemoryStores.layer, stores], { passTime, numRuns: 5 })
