import * as MemoryStores from "@tocsin/adapters-memory/internal/MemoryStores"
import { deliveryModel } from "../contract/delivery-model.ts"

deliveryModel("in memory", [MemoryStores.layer], { numRuns: 100 })
