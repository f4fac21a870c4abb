import { Layer, type Redacted } from "effect"
import * as AccessTokensJose from "../access/AccessTokensJose.ts"
import * as OperatorTokens from "../access/OperatorTokens.ts"
import * as RandomBytesNode from "../access/RandomBytesNode.ts"
import * as HashNode from "./HashNode.ts"
import * as SignerNode from "./SignerNode.ts"
import * as SigningKeyGeneratorNode from "./SigningKeyGeneratorNode.ts"

/**
 * Every port that Node's cryptography stands behind: hashes, randomness, keys, signatures and tokens.
 *
 * Tokens are made under keys derived from the master key, 32 random bytes that every process of a service shares.
 */
export const layer = (masterKey: Redacted.Redacted<Uint8Array>) =>
  Layer.mergeAll(SignerNode.layer, AccessTokensJose.layer(masterKey), OperatorTokens.layer(masterKey)).pipe(
    Layer.provideMerge(Layer.mergeAll(HashNode.layer, RandomBytesNode.layer, SigningKeyGeneratorNode.layer)),
  )
