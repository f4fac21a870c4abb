/** The cryptographic ports by Node, one by one. `CryptoNode.layer` of the root is all of them. */
export * as AccessTokensJose from "../crypto/AccessTokensJose.ts"
export * as AcknowledgeTokensJose from "../crypto/AcknowledgeTokensJose.ts"
export { loadSigningKey } from "../crypto/Ed25519Node.ts"
export * as HashNode from "../crypto/HashNode.ts"
export * as SignerNode from "../crypto/SignerNode.ts"
export * as SigningKeyGeneratorNode from "../crypto/SigningKeyGeneratorNode.ts"
