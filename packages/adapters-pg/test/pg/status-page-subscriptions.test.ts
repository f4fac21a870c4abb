import { statusPageSubscriptionStoreContract } from "@tocsin/testing/contracts"
import * as Layer from "effect/Layer"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as DeliveryLogPg from "../../src/delivery/DeliveryLogPg.ts"
import * as StatusPageSubscriptionStorePg from "../../src/status-page/StatusPageSubscriptionStorePg.ts"
import { layer } from "./AdapterDatabase.ts"

const stores = Layer.mergeAll(DeliveryLogPg.layer, StatusPageSubscriptionStorePg.layer).pipe(
  Layer.provide(DeliveryHints.layer),
  Layer.provide(layer),
)

statusPageSubscriptionStoreContract("pg", stores)
