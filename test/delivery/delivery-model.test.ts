import { MemoryStores } from "@tocsin/adapters-memory"
import { deliveryModel } from "../contract/delivery-model.ts"

deliveryModel("in memory", [MemoryStores.layer], { numRuns: 100 })
