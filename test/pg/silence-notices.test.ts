import * as SilenceNoticeStorePg from "@tocsin/adapters-pg/internal/alerting/SilenceNoticeStorePg"
import * as DefinitionStorePg from "@tocsin/adapters-pg/internal/definition/DefinitionStorePg"
import * as DeliveryHints from "@tocsin/adapters-pg/internal/delivery/DeliveryHints"
import * as DeliveryLogPg from "@tocsin/adapters-pg/internal/delivery/DeliveryLogPg"
import * as Layer from "effect/Layer"
import { silenceNoticesContract } from "@tocsin/testing/contracts"
import { layer } from "./TestDatabase.ts"

const stores = Layer.mergeAll(DefinitionStorePg.layer, DeliveryLogPg.layer, SilenceNoticeStorePg.layer).pipe(
  Layer.provide(DeliveryHints.layer),
  Layer.provide(layer),
)

silenceNoticesContract("pg", stores)
