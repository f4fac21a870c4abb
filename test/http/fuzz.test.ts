import { apiPorts } from "./api-ports.ts"
import { fuzzSuite } from "./fuzz.ts"

fuzzSuite("memory", apiPorts, 40)
