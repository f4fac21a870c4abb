import * as AlertStorePg from "@tocsin/adapters-pg/internal/alerting/AlertStorePg"
import * as DefinitionStorePg from "@tocsin/adapters-pg/internal/definition/DefinitionStorePg"
import * as DeliveryHints from "@tocsin/adapters-pg/internal/delivery/DeliveryHints"
import * as CountStorePg from "@tocsin/adapters-pg/internal/slo/CountStorePg"
import * as SloStorePg from "@tocsin/adapters-pg/internal/slo/SloStorePg"
import * as Layer from "effect/Layer"
import { lateCountsContract } from "../contract/late-counts.ts"
import { layer, passTime } from "./TestDatabase.ts"

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
