import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import * as BulkResendStorePg from "../../src/delivery/BulkResendStorePg.ts"
import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as DeliveryLogPg from "../../src/delivery/DeliveryLogPg.ts"
import * as DeliveryQueuePg from "../../src/delivery/DeliveryQueuePg.ts"
import * as EndpointStorePg from "../../src/delivery/EndpointStorePg.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import * as StatusPageSubscriptionStorePg from "../../src/status-page/StatusPageSubscriptionStorePg.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  alertStoreContract,
  bulkResendStoreContract,
  deliveryLogContract,
  deliveryQueueContract,
  endpointStoreContract,
  statusPageSubscriptionStoreContract,
} from "@tocsin/testing/contracts"
import { it } from "@tocsin/testing/vitest"
import { expectStatementsOfOneOrganization, recordStatements } from "../../../../test/pg/Statements.ts"
import { passTime } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

const stores = Layer.mergeAll(
  AlertStorePg.layer,
  CountStorePg.layer,
  BulkResendStorePg.layer,
  DefinitionStorePg.layer,
  DeliveryLogPg.layer,
  DeliveryQueuePg.layer,
  EndpointStorePg.layer,
  SloStorePg.layer,
  StatusPageSubscriptionStorePg.layer,
).pipe(Layer.provide(DeliveryHints.layer), Layer.provide(layer), Layer.provideMerge(recordStatements))

deliveryQueueContract("pg", stores, passTime)
deliveryLogContract("pg", stores, passTime)
endpointStoreContract("pg", stores, passTime)
alertStoreContract("pg", stores, passTime)
bulkResendStoreContract("pg", stores, passTime)
statusPageSubscriptionStoreContract("pg", stores)

it.effect("every statement of these ports is of one organization, and one that Citus runs on one node", () =>
  Effect.provide(expectStatementsOfOneOrganization, layer),
)
