import { MemoryStores } from "@tocsin/adapters-memory"
import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as DeliveryLogPg from "../../src/delivery/DeliveryLogPg.ts"
import * as DeliveryQueuePg from "../../src/delivery/DeliveryQueuePg.ts"
import * as EndpointStorePg from "../../src/delivery/EndpointStorePg.ts"
import * as Layer from "effect/Layer"
import { deliveryModel } from "../../../../test/contract/delivery-model.ts"
import { passTime } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

const stores = Layer.mergeAll(
  AlertStorePg.layer,
  DefinitionStorePg.layer,
  DeliveryLogPg.layer,
  DeliveryQueuePg.layer,
  EndpointStorePg.layer,
).pipe(Layer.provide(DeliveryHints.layer), Layer.provide(layer))

deliveryModel("in memory and in PostgreSQL", [MemoryStores.layer, stores], { passTime, numRuns: 5 })
