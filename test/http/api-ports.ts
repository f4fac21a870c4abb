import * as AccessTokensJose from "@tocsin/adapters-http/access/AccessTokensJose"
import * as RandomBytesNode from "@tocsin/adapters-http/access/RandomBytesNode"
import * as HashNode from "@tocsin/adapters-http/crypto/HashNode"
import * as CredentialStoreMemory from "@tocsin/adapters-memory/CredentialStoreMemory"
import * as RateLimiterMemory from "@tocsin/adapters-memory/RateLimiterMemory"
import { Layer, Redacted } from "effect"

/** The master key of the tests. */
export const masterKey = Redacted.make(new Uint8Array(32).fill(7))

/** Every port that the API stands on, in memory. */
export const apiPorts = Layer.mergeAll(
  CredentialStoreMemory.layer,
  RateLimiterMemory.layer,
  HashNode.layer,
  RandomBytesNode.layer,
  AccessTokensJose.layer(masterKey),
)
