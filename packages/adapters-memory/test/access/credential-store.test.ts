import * as CredentialStoreMemory from "../../src/access/CredentialStoreMemory.ts"
import { credentialStoreContract } from "@tocsin/testing/contracts"

credentialStoreContract("memory", CredentialStoreMemory.layer)
