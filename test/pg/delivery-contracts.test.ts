import * as AlertStorePg from "@tocsin/adapters-pg/internal/alerting/AlertStorePg"
import * as BulkResendStorePg from "@tocsin/adapters-pg/internal/delivery/BulkResendStorePg"
import * as CountStorePg from "@tocsin/adapters-pg/internal/slo/CountStorePg"
import * as DefinitionStorePg from "@tocsin/adapters-pg/internal/definition/DefinitionStorePg"
import * as DeliveryHints from "@tocsin/adapters-pg/internal/delivery/DeliveryHints"
import * as DeliveryLogPg from "@tocsin/adapters-pg/internal/delivery/DeliveryLogPg"
import * as DeliveryQueuePg from "@tocsin/adapters-pg/internal/delivery/DeliveryQueuePg"
import * as EndpointStorePg from "@tocsin/adapters-pg/internal/delivery/EndpointStorePg"
import * as SloStorePg from "@tocsin/adapters-pg/internal/slo/SloStorePg"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  alertStoreContract,
  bulkResendStoreContract,
  deliveryLogContract,
  deliveryQueueContract,
  endpointStoreContract,
} from "@tocsin/testing/contracts"
import { it } from "@tocsin/testing/vitest"
import { expectStatementsOfOneOrganization, recordStatements } from "./Statements.ts"
import { layer, passTime } from "./TestDatabase.ts"

const stores = Layer.mergeAll(
  AlertStorePg.layer,
  CountStorePg.layer,
  BulkResendStorePg.layer,
  DefinitionStorePg.layer,
  DeliveryLogPg.layer,
  DeliveryQueuePg.layer,
  EndpointStorePg.layer,
  SloStorePg.layer,
).pipe(Layer.provide(DeliveryHints.layer), Layer.provide(layer), Layer.provideMerge(recordStatements))

deliveryQueueContract("pg", stores, passTime)
deliveryLogContract("pg", stores, passTime)
endpointStoreContract("pg", stores, passTime)
alertStoreContract("pg", stores, passTime)
bulkResendStoreContract("pg", stores, passTime)

it.effect("every statement of these ports is of one organization, and one that Citus runs on one node", () =>
  Effect.provide(expectStatementsOfOneOrganization, layer),
)
