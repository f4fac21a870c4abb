import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import * as Layer from "effect/Layer"
import { lateCountsContract } from "../../../../test/contract/late-counts.ts"
import { passTime } from "../../../../test/pg/TestDatabase.ts"
import { layer } from "./AdapterDatabase.ts"

const stores = Layer.mergeAll(
  AlertStorePg.layer,
  CountStorePg.layer,
  DefinitionStorePg.layer,
  SloStorePg.layer,
).pipe(Layer.provide(DeliveryHints.layer), Layer.provide(layer))

lateCountsContract("on PostgreSQL", stores, passTime, {
  numRuns: Number(process.env["RUNS"] ?? 1),
  seed: Number(process.env["SEED"] ?? 2),
})
