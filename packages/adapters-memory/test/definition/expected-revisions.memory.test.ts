import { MemoryStores } from "@tocsin/adapters-memory"
import { expectedRevisionsContract } from "../../../../test/contract/expected-revisions.ts"

expectedRevisionsContract("memory", MemoryStores.layer)
