import * as AlertStorePg from "@tocsin/adapters-pg/alerting/AlertStorePg"
import * as BulkResendStorePg from "@tocsin/adapters-pg/delivery/BulkResendStorePg"
import * as CountStorePg from "@tocsin/adapters-pg/slo/CountStorePg"
import * as DefinitionStorePg from "@tocsin/adapters-pg/definition/DefinitionStorePg"
import * as DeliveryHints from "@tocsin/adapters-pg/delivery/DeliveryHints"
import * as DeliveryQueuePg from "@tocsin/adapters-pg/delivery/DeliveryQueuePg"
import * as SloStorePg from "@tocsin/adapters-pg/slo/SloStorePg"
import * as Layer from "effect/Layer"
import { alertStoreContract } from "../contract/alert-store.ts"
import { bulkResendStoreContract } from "../contract/bulk-resend-store.ts"
import { deliveryQueueContract } from "../contract/delivery-queue.ts"
import { layer, passTime } from "./TestDatabase.ts"

const stores = Layer.mergeAll(
  AlertStorePg.layer,
  CountStorePg.layer,
  BulkResendStorePg.layer,
  DefinitionStorePg.layer,
  DeliveryQueuePg.layer,
  SloStorePg.layer,
).pipe(Layer.provide(DeliveryHints.layer), Layer.provide(layer))

deliveryQueueContract("pg", stores, passTime)
alertStoreContract("pg", stores, passTime)
bulkResendStoreContract("pg", stores, passTime)
