import { DeliveryLog } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { DeliveryTables } from "./DeliveryTables.ts"

/** The log of a memory database, with the latest `settledDeliveriesInMemoryMax` settled deliveries. */
const make = Effect.map(DeliveryTables, (tables) =>
  DeliveryLog.of({
    find: (organization, id) => Effect.sync(() => Option.fromNullishOr(tables.find(organization, id))),
    list: (organization, query, page) => Effect.sync(() => tables.list(organization, query, page)),
  }),
)

export const layer = Layer.effect(DeliveryLog, make)
