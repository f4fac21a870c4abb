import { libraryAndApiContract } from "../contract/library-and-api.ts"
import { apiPorts } from "./api-ports.ts"

libraryAndApiContract("in memory", apiPorts)
