import * as Layer from "effect/Layer"
import { layer as databaseLayer } from "../../../../test/pg/TestDatabase.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"

/** The database of this test file, as `TestDatabase.ts` has it, with the hints that stores of deliveries share. */
export const layer = Layer.provideMerge(DeliveryHints.layer, databaseLayer)
