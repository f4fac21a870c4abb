import * as CredentialStoreMemory from "@tocsin/adapters-memory/internal/access/CredentialStoreMemory"
import { credentialStoreContract } from "@tocsin/testing/contracts"

credentialStoreContract("memory", CredentialStoreMemory.layer)
