import * as CredentialStoreMemory from "@tocsin/adapters-memory/internal/access/CredentialStoreMemory"
import { credentialStoreContract } from "../contract/credential-store.ts"

credentialStoreContract("memory", CredentialStoreMemory.layer)
