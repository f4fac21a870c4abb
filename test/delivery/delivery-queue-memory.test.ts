import * as MemoryStores from "@tocsin/adapters-memory/MemoryStores"
import { deliveryQueueContract } from "../contract/delivery-queue.ts"

deliveryQueueContract("in memory", MemoryStores.layer)
