import { incidentStoreContract } from "@tocsin/testing/contracts"
import * as IncidentStoreMemory from "../../src/incident/IncidentStoreMemory.ts"

incidentStoreContract("in memory", IncidentStoreMemory.layer)
