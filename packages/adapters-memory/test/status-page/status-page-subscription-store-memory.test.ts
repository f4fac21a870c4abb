import { statusPageSubscriptionStoreContract } from "@tocsin/testing/contracts"
import * as MemoryStores from "../../src/MemoryStores.ts"

statusPageSubscriptionStoreContract("in memory", MemoryStores.layer)
