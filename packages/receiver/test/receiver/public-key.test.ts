import { generateKeyPairSync } from "node:crypto"
import { describe, expect, it } from "vitest"
import { pemToPublicKey } from "../../src/PublicKey.ts"
import { testKeyVector } from "../../../../test/signature/TestKey.ts"

const raw = new Uint8Array(Buffer.from(testKeyVector.publicRawHex, "hex"))
const rawToPem = (bytes: Uint8Array) =>
  `-----BEGIN PUBLIC KEY-----\n${Buffer.concat([spkiPrefix, bytes]).toString("base64")}\n-----END PUBLIC KEY-----\n`
const spkiPrefix = Buffer.from("302a300506032b6570032100", "hex")
const isAccepted = (pem: string) => pemToPublicKey(pem) !== undefined

const prime = 2n ** 255n - 19n
const toBytes = (y: bigint): Uint8Array =>
  Uint8Array.from({ length: 32 }, (_, index) => Number((y >> BigInt(8 * index)) & 255n))
const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n
  for (let factor = base % prime, rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % prime
    factor = (factor * factor) % prime
  }
  return result
}
const inverse = (value: bigint) => power(value, prime - 2n)
const modulo = (value: bigint) => ((value % prime) + prime) % prime
const d = modulo(-121665n * inverse(121666n))

/** Every y on the curve whose point has an order that divides 8, found by doubling until the neutral element. */
const isSmallOrder = (y: bigint): boolean => {
  const xSquared = modulo((y * y - 1n) * inverse(modulo(d * y * y + 1n)))
  let [squaredX, currentY] = [xSquared, y]
  for (let doubling = 0; doubling < 3; doubling++) {
    // On -x² + y² = 1 + d x² y²: y' = (y² + x²) / (1 - d x² y²), x'² from the curve.
    const product = modulo(d * squaredX * currentY * currentY)
    currentY = modulo((currentY * currentY + squaredX) * inverse(modulo(1n - product)))
    squaredX = modulo((currentY * currentY - 1n) * inverse(modulo(d * currentY * currentY + 1n)))
  }
  return currentY === 1n
}

describe("public keys", () => {
  it("spec/signatures §5: are read as Node writes them", () => {
    const { publicKey } = generateKeyPairSync("ed25519")
    const pem = publicKey.export({ format: "pem", type: "spki" }).toString()
    const key = pemToPublicKey(pem)
    if (key === undefined) throw new Error("it is rejected")
    expect(rawToPem(key)).toBe(pem)
    const { x = "" } = publicKey.export({ format: "jwk" })
    expect(Buffer.from(key).toString("base64url")).toBe(x)
    expect(pemToPublicKey(testKeyVector.publicKeyPem.replaceAll("\n", "\r\n"))).toEqual(raw)
  })

  it("spec/signatures §9: points of small order are rejected, in every way of writing them", () => {
    const points = [
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    ]
      .map((hex) => BigInt(`0x${Buffer.from(hex, "hex").reverse().toString("hex")}`))
      .concat(0n, 1n, prime - 1n)
    for (const y of points) {
      expect(isSmallOrder(y)).toBe(true)
      const bytes = toBytes(y)
      expect(isAccepted(rawToPem(bytes))).toBe(false)
      bytes[31] = (bytes[31] ?? 0) | 0x80
      expect(isAccepted(rawToPem(bytes))).toBe(false)
    }
    for (const y of [prime, prime + 1n, 2n ** 255n - 1n]) {
      expect(isAccepted(rawToPem(toBytes(y)))).toBe(false)
      expect(isAccepted(rawToPem(toBytes(y + 2n ** 255n)))).toBe(false)
    }
    expect(isSmallOrder(BigInt(`0x${Buffer.from(raw).reverse().toString("hex")}`) & (2n ** 255n - 1n))).toBe(
      false,
    )
    expect(isAccepted(rawToPem(raw))).toBe(true)
  })

  it("spec/signatures §9: anything that is not an Ed25519 key is rejected", () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({
      format: "pem",
      type: "spki",
    })
    const x25519 = generateKeyPairSync("x25519").publicKey.export({ format: "pem", type: "spki" })
    for (const pem of [rsa.toString(), x25519.toString()]) expect(isAccepted(pem)).toBe(false)
    const body = testKeyVector.publicKeyPem
    for (const pem of [
      "",
      "x",
      body.replace("PUBLIC", "PRIVATE"),
      body.replace("MCow", "MCo"),
      `${body}${body}`,
      `a${body}`,
    ]) {
      expect(isAccepted(pem)).toBe(false)
    }
  })
})
