import * as SilenceNoticeStorePg from "../../src/alerting/SilenceNoticeStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as DeliveryLogPg from "../../src/delivery/DeliveryLogPg.ts"
import * as Layer from "effect/Layer"
import { silenceNoticesContract } from "@tocsin/testing/contracts"
import { layer } from "./AdapterDatabase.ts"

const stores = Layer.mergeAll(DefinitionStorePg.layer, DeliveryLogPg.layer, SilenceNoticeStorePg.layer).pipe(
  Layer.provide(DeliveryHints.layer),
  Layer.provide(layer),
)

silenceNoticesContract("pg", stores)
