import { apiPorts } from "../../../../test/http/api-ports.ts"
import { fuzzSuite } from "../../../../test/http/fuzz.ts"

fuzzSuite("memory", apiPorts, 40)
