import * as CredentialStoreMemory from "@tocsin/adapters-memory/internal/access/CredentialStoreMemory"
import { credentialStoreContract } from "@tocsin/testing/internal/contract/credential-store"

credentialStoreContract("memory", CredentialStoreMemory.layer)
