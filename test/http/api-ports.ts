import * as AccessTokensJose from "@tocsin/adapters-http/access/AccessTokensJose"
import * as OperatorTokens from "@tocsin/adapters-http/access/OperatorTokens"
import * as RandomBytesNode from "@tocsin/adapters-http/access/RandomBytesNode"
import * as HashNode from "@tocsin/adapters-http/crypto/HashNode"
import * as SigningKeyGeneratorNode from "@tocsin/adapters-http/crypto/SigningKeyGeneratorNode"
import * as MemoryStores from "@tocsin/adapters-memory/MemoryStores"
import { Layer, Redacted } from "effect"

/** The master key of the tests. */
export const masterKey = Redacted.make(new Uint8Array(32).fill(7))

/** Every port that the API stands on, in memory. */
export const apiPorts = Layer.mergeAll(
  MemoryStores.layer,
  HashNode.layer,
  RandomBytesNode.layer,
  SigningKeyGeneratorNode.layer,
  AccessTokensJose.layer(masterKey),
  OperatorTokens.layer(masterKey),
)
