import * as ReviewStoreMemory from "../../src/slo/ReviewStoreMemory.ts"
import { reviewStoreContract } from "@tocsin/testing/contracts"

reviewStoreContract("in memory", ReviewStoreMemory.layer)
