import * as Result from "effect/Result"

/** Decides which network addresses requests may be sent to. */
export interface AddressPolicy {
  /** Takes IPv4 in four decimal parts or IPv6 without a zone; rejects anything else. */
  readonly isAllowed: (address: string) => boolean
  /** Whether names of private networks can be allowed. */
  readonly hasAllowedCidrs: boolean
}

/**
 * Allows public addresses, and those in the given CIDR blocks, which must have no bits after the prefix
 * (`10.0.0.0/8`).
 *
 * An allowed IPv4 block does not allow IPv6 addresses that embed an IPv4 address. Fails with the invalid
 * entries, in order.
 */
export const makeAddressPolicy = (
  allowCidrs: ReadonlyArray<string>,
): Result.Result<AddressPolicy, ReadonlyArray<string>> => {
  const invalid = allowCidrs.filter((cidr) => parseBlock(cidr) === undefined)
  if (invalid.length > 0) return Result.fail(invalid)
  const blocks = blocksOf(allowCidrs)
  return Result.succeed({
    hasAllowedCidrs: blocks.length > 0,
    isAllowed: (text) => isPublicOrIn(text, blocks),
  })
}

/** The default policy. */
export const publicAddressesOnly: AddressPolicy = {
  hasAllowedCidrs: false,
  isAllowed: (text) => isPublicOrIn(text, []),
}

/** For callers that leave the check to the transport. */
export const anyAddress: AddressPolicy = { hasAllowedCidrs: true, isAllowed: () => true }

/**
 * Parses an address: 4 bytes for IPv4, 16 for IPv6; `undefined` if it is invalid.
 *
 * Strict: no leading zeros in IPv4, so that all parsers agree on the address (RFC 6943, section 3.1.1), and
 * no IPv6 zone (`%eth0`).
 */
export const addressFromText = (text: string): ReadonlyArray<number> | undefined =>
  text.includes(":") ? ipv6FromText(text) : ipv4FromText(text)

interface Block {
  readonly bytes: ReadonlyArray<number>
  readonly bits: number
}

const ipv4FromText = (text: string): ReadonlyArray<number> | undefined => {
  const parts = text.split(".")
  const isValid =
    parts.length === 4 && parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255)
  return isValid ? parts.map(Number) : undefined
}

const ipv6FromText = (text: string): ReadonlyArray<number> | undefined => {
  if (text.length > 45 || !/^[0-9A-Fa-f:.]+$/.test(text) || !URL.canParse(`http://[${text}]/`))
    return undefined
  // The URL parser writes all forms, embedded IPv4 included, as groups of hexadecimal digits.
  const [head = "", tail = ""] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split("::")
  const [before, after] = [head, tail].map((groups) => (groups === "" ? [] : groups.split(":"))) as [
    Array<string>,
    Array<string>,
  ]
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0")
  return [...before, ...zeros, ...after].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

const parseBlock = (cidr: string): Block | undefined => {
  const [text = "", length, ...rest] = cidr.split("/")
  if (length === undefined || rest.length > 0 || !/^(?:0|[1-9][0-9]{0,2})$/.test(length)) return undefined
  const bytes = addressFromText(text)
  const bits = Number(length)
  if (bytes === undefined || bits > bytes.length * 8) return undefined
  const isAligned = bytes.every((byte, index) => (byte & ~byteMask(bits, index) & 0xff) === 0)
  return isAligned ? { bytes, bits } : undefined
}

/** The mask of one byte of a prefix. */
const byteMask = (bits: number, index: number): number => {
  const ones = Math.min(8, Math.max(0, bits - index * 8))
  return (0xff << (8 - ones)) & 0xff
}

const isPublicOrIn = (text: string, blocks: ReadonlyArray<Block>): boolean => {
  const address = addressFromText(text)
  if (address === undefined) return false
  return isPublic(address) || blocks.some((block) => isInBlock(address, block))
}

const isInBlock = (address: ReadonlyArray<number>, block: Block): boolean =>
  address.length === block.bytes.length &&
  block.bytes.every((byte, index) => ((address[index] ?? 0) & byteMask(block.bits, index)) === byte)

const isPublic = (address: ReadonlyArray<number>): boolean => {
  if (address.length === 4) return !specialIpv4.some((block) => isInBlock(address, block))
  return (
    isInBlock(address, globalUnicast) &&
    !specialIpv6.some((block) => isInBlock(address, block)) &&
    !isIsatap(address)
  )
}

/** ISATAP embeds an IPv4 address in the last 4 bytes (RFC 5214, section 6.1). */
const isIsatap = (address: ReadonlyArray<number>): boolean =>
  (address[8] === 0x00 || address[8] === 0x02) &&
  address[9] === 0x00 &&
  address[10] === 0x5e &&
  address[11] === 0xfe

const blocksOf = (cidrs: ReadonlyArray<string>): ReadonlyArray<Block> =>
  cidrs.map(parseBlock).filter((block) => block !== undefined)

/**
 * The IANA IPv4 Special-Purpose Address Registry (RFC 6890), including anycast blocks, which no receiver
 * uses; multicast (RFC 5771); reserved addresses (RFC 1112); and the platform address of Azure, which
 * responds only inside its networks.
 */
const specialIpv4 = blocksOf([
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // shared by carriers (CGNAT)
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // Azure platform
  "169.254.0.0/16", // link-local, metadata
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarking
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
])

/** Public IPv6 unicast addresses (RFC 4291, section 2.4). */
const globalUnicast: Block = { bytes: [0x20, ...Array.from({ length: 15 }, () => 0)], bits: 3 }

/** Special blocks inside `2000::/3`: IANA IPv6 Special-Purpose Address Registry (RFC 6890). */
const specialIpv6 = blocksOf([
  "2001::/23", // protocol assignments: Teredo, benchmarking, ORCHID, …
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "2620:4f:8000::/48", // AS112
  "3fff::/20", // documentation
])
