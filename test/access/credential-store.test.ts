import * as CredentialStoreMemory from "@tocsin/adapters-memory/access/CredentialStoreMemory"
import { credentialStoreContract } from "../contract/credential-store.ts"

credentialStoreContract("memory", CredentialStoreMemory.layer)
