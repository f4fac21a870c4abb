import * as Layer from "effect/Layer"
import { Verifier, type VerifierFunctions } from "@tocsin/domain/signature/VerifyRequest"
import { importPublicKey } from "./Ed25519Node.ts"
import { sha256, sha512 } from "./HashNode.ts"

export const verifierFunctions: VerifierFunctions = { sha256, sha512, importPublicKey }

export const layer = Layer.succeed(Verifier, verifierFunctions)
