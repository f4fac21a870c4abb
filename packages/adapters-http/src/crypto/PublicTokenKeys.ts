import type { OrganizationId } from "@tocsin/domain/kernel"
import type { TokenKey } from "@tocsin/domain/ports"
import * as Redacted from "effect/Redacted"
import { createECDH, createHash, createPrivateKey, createPublicKey } from "node:crypto"
import { deriveKey } from "./DeriveKey.ts"
import type { TokenKeys } from "./JsonWebTokens.ts"

/**
 * Keys of an organization's tokens that anyone can verify: ECDSA with P-256 and SHA-256 (ES256, RFC 7518 section 3.4). The private
 * key is derived from the master key, so that all processes sign with the same one, and none is stored.
 */
export const publicTokenKeys = (
  masterKey: Redacted.Redacted<Uint8Array>,
  organization: OrganizationId,
): TokenKeys => {
  const { d, ...jwk } = derivePair(masterKey, organization)
  return {
    algorithm: "ES256",
    signing: createPrivateKey({ key: { ...ecKey(jwk), d }, format: "jwk" }),
    verifying: createPublicKey({ key: ecKey(jwk), format: "jwk" }),
    keyId: jwk.kid,
  }
}

/** The public part of `publicTokenKeys`, for a JSON Web Key Set. */
export const publicTokenKey = (
  masterKey: Redacted.Redacted<Uint8Array>,
  organization: OrganizationId,
): TokenKey => {
  const { d: _, ...jwk } = derivePair(masterKey, organization)
  return jwk
}

const derivePair = (
  masterKey: Redacted.Redacted<Uint8Array>,
  organization: OrganizationId,
): TokenKey & { readonly d: string } => {
  const pair = createECDH("prime256v1")
  for (let turn = 0; ; turn++) {
    const scalar = Redacted.value(deriveKey(masterKey, `public token ${turn} of ${organization}`))
    try {
      pair.setPrivateKey(scalar)
    } catch {
      // Not less than the order of the curve, which happens once in 2^32.
      continue
    }
    const point = pair.getPublicKey()
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"))
    const key = { kty: "EC", crv: "P-256", x: x as string, y: y as string } as const
    // RFC 7638: the required members in the order of their names.
    const members = JSON.stringify({ crv: key.crv, kty: key.kty, x: key.x, y: key.y })
    const kid = createHash("sha256").update(members).digest("base64url")
    return { ...key, kid, use: "sig", alg: "ES256", d: Buffer.from(scalar).toString("base64url") }
  }
}

const ecKey = ({ kty, crv, x, y }: TokenKey) => ({ kty, crv, x, y })
