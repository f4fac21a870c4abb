import { EndpointStore } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DeliveryTables } from "./DeliveryTables.ts"

const make = Effect.map(DeliveryTables, (tables) =>
  EndpointStore.of({
    find: (organization, alertMethod) => Effect.sync(() => tables.endpoint(organization, alertMethod)),
    activities: (organization, alertMethods) =>
      Effect.sync(() => tables.activities(organization, alertMethods)),
    stopped: (organization, alertMethods) => Effect.sync(() => tables.stopped(organization, alertMethods)),
    troubled: (organization, limit) => Effect.sync(() => tables.troubled(organization, limit)),
    enable: (organization, alertMethod) =>
      Effect.map(Clock.currentTimeMillis, (now) => tables.enable(organization, alertMethod, now)),
    setPaused: (organization, alertMethod, isPaused) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        tables.setEndpointPaused(organization, alertMethod, isPaused, now),
      ),
  }),
)

export const layer = Layer.effect(EndpointStore, make)
