import * as AlertStorePg from "@tocsin/adapters-pg/internal/alerting/AlertStorePg"
import * as RateLimiterPg from "@tocsin/adapters-pg/internal/access/RateLimiterPg"
import * as CountStorePg from "@tocsin/adapters-pg/internal/slo/CountStorePg"
import * as DefinitionStorePg from "@tocsin/adapters-pg/internal/definition/DefinitionStorePg"
import * as DeliveryHints from "@tocsin/adapters-pg/internal/delivery/DeliveryHints"
import * as DeliveryLogPg from "@tocsin/adapters-pg/internal/delivery/DeliveryLogPg"
import * as SloStorePg from "@tocsin/adapters-pg/internal/slo/SloStorePg"
import { RateLimiter } from "@tocsin/domain/ports"
import { refreshStatus } from "@tocsin/domain/internal/refresh/RefreshStatus"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { organization, sloKey } from "../alerting/Incident.ts"
import { escalationContract } from "../contract/escalation.ts"
import { layer } from "./TestDatabase.ts"

const stores = Layer.mergeAll(
  AlertStorePg.layer,
  CountStorePg.layer,
  DefinitionStorePg.layer,
  DeliveryLogPg.layer,
  Layer.effect(RateLimiter, RateLimiterPg.make),
  SloStorePg.layer,
).pipe(Layer.provide(DeliveryHints.layer), Layer.provide(layer))

const refresh = refreshStatus(organization, sloKey)

escalationContract("pg", stores, Effect.all([refresh, refresh, refresh], { concurrency: "unbounded" }))
