import { refreshStatus } from "@tocsin/domain"
import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import * as RateLimiterPg from "../../src/access/RateLimiterPg.ts"
import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as DeliveryLogPg from "../../src/delivery/DeliveryLogPg.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import { RateLimiter } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { organization, sloKey } from "../../../../test/alerting/Incident.ts"
import { escalationContract } from "../../../../test/contract/escalation.ts"
import { layer } from "./AdapterDatabase.ts"

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
