import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as AcknowledgeTokensJose from "./AcknowledgeTokensJose.ts"
import * as AccessTokensJose from "./AccessTokensJose.ts"
import * as OperatorTokens from "./OperatorTokens.ts"
import * as SessionTokensJose from "./SessionTokensJose.ts"
import * as HashNode from "./HashNode.ts"
import * as SignerNode from "./SignerNode.ts"
import * as SigningKeyGeneratorNode from "./SigningKeyGeneratorNode.ts"

/**
 * All cryptographic ports, by Node: hashes, randomness, keys, signatures and tokens.
 *
 * Keys of tokens are derived from the master key, 32 random bytes that all processes share. Access tokens, sessions
 * and links under a previous master key stay valid until they expire; operator tokens require the current one.
 */
export const layer = (
  current: Redacted.Redacted<Uint8Array>,
  previous: ReadonlyArray<Redacted.Redacted<Uint8Array>> = [],
) =>
  Layer.mergeAll(
    SignerNode.layer,
    AccessTokensJose.layer(current, previous),
    SessionTokensJose.layer(current, previous),
    AcknowledgeTokensJose.layer(current, previous),
    OperatorTokens.layer(current),
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(HashNode.layer, SecureRandom.layerWebCrypto, SigningKeyGeneratorNode.layer),
    ),
  )
