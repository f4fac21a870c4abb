import * as Result from "effect/Result"

/**
 * Decides which network addresses a notification may be sent to.
 *
 * `isAllowed` takes an address as text, IPv4 in four decimal parts or any form of IPv6 without a zone, and refuses what
 * it cannot read. `hasAllowedCidrs` says whether the operator has allowed any block, so that names of private networks
 * make sense.
 */
export interface AddressPolicy {
  readonly isAllowed: (address: string) => boolean
  readonly hasAllowedCidrs: boolean
}

/**
 * Makes the policy: public addresses, and those in a block that the operator allows.
 *
 * A block is an address, a slash and a prefix length, without bits after the prefix (`10.0.0.0/8`, `fd00::/8`). An
 * allowed IPv4 block does not open the IPv6 forms that hide an IPv4 address.
 *
 * Fails with the entries that are no such block, in their order.
 */
export const makeAddressPolicy = (
  allowCidrs: ReadonlyArray<string>,
): Result.Result<AddressPolicy, ReadonlyArray<string>> => {
  const blocks: Array<Block> = []
  const refused: Array<string> = []
  for (const cidr of allowCidrs) {
    const block = parseBlock(cidr)
    if (block === undefined) refused.push(cidr)
    else blocks.push(block)
  }
  if (refused.length > 0) return Result.fail(refused)
  return Result.succeed({
    hasAllowedCidrs: blocks.length > 0,
    isAllowed: (text) => isPublicOrIn(text, blocks),
  })
}

/** The policy of a server whose operator has allowed nothing: public addresses only. */
export const publicAddressesOnly: AddressPolicy = {
  hasAllowedCidrs: false,
  isAllowed: (text) => isPublicOrIn(text, []),
}

/** Allows every address, for callers that leave the check to the transport. */
export const anyAddress: AddressPolicy = { hasAllowedCidrs: true, isAllowed: () => true }

/**
 * Reads an address: 4 bytes for IPv4, 16 for IPv6, `undefined` for anything else.
 *
 * Strict: IPv4 is four decimal parts without leading zeros, so that no two readers see two addresses in one text; an
 * IPv6 zone (`%eth0`) is refused.
 *
 * Source: RFC 4291 section 2.2; RFC 6943 section 3.1.1.
 */
export const addressFromText = (text: string): ReadonlyArray<number> | undefined =>
  text.includes(":") ? ipv6FromText(text) : ipv4FromText(text)

interface Block {
  readonly bytes: ReadonlyArray<number>
  readonly bits: number
}

const ipv4FromText = (text: string): ReadonlyArray<number> | undefined => {
  const parts = text.split(".")
  if (parts.length !== 4) return undefined
  const bytes: Array<number> = []
  for (const part of parts) {
    if (!/^(?:0|[1-9][0-9]{0,2})$/.test(part)) return undefined
    const byte = Number(part)
    if (byte > 255) return undefined
    bytes.push(byte)
  }
  return bytes
}

const ipv6FromText = (text: string): ReadonlyArray<number> | undefined => {
  if (text.length > 45) return undefined
  const halves = text.split("::")
  if (halves.length > 2) return undefined
  const [headText = "", tailText] = halves
  const head = groupsToBytes(headText, tailText === undefined)
  const tail = tailText === undefined ? [] : groupsToBytes(tailText, true)
  if (head === undefined || tail === undefined) return undefined
  const missing = 16 - head.length - tail.length
  if (tailText === undefined ? missing !== 0 : missing < 2) return undefined
  return [...head, ...Array.from({ length: missing }, () => 0), ...tail]
}

/** The bytes of groups between colons; only the very last group of an address may be IPv4. */
const groupsToBytes = (text: string, isEnd: boolean): ReadonlyArray<number> | undefined => {
  if (text === "") return []
  const groups = text.split(":")
  const bytes: Array<number> = []
  for (const [index, group] of groups.entries()) {
    if (isEnd && index === groups.length - 1 && group.includes(".")) {
      const embedded = ipv4FromText(group)
      if (embedded === undefined) return undefined
      bytes.push(...embedded)
    } else {
      if (!/^[0-9A-Fa-f]{1,4}$/.test(group)) return undefined
      const value = Number.parseInt(group, 16)
      bytes.push(value >> 8, value & 0xff)
    }
  }
  return bytes
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

/** The mask of the byte at `index` under a prefix of so many bits. */
const byteMask = (bits: number, index: number): number => {
  const held = Math.min(8, Math.max(0, bits - index * 8))
  return (0xff << (8 - held)) & 0xff
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

/** An interface identifier of ISATAP, which carries an IPv4 address in its last 4 bytes. Source: RFC 5214 section 6.1. */
const isIsatap = (address: ReadonlyArray<number>): boolean =>
  (address[8] === 0x00 || address[8] === 0x02) &&
  address[9] === 0x00 &&
  address[10] === 0x5e &&
  address[11] === 0xfe

const blocksOf = (cidrs: ReadonlyArray<string>): ReadonlyArray<Block> =>
  cidrs.map(parseBlock).filter((block) => block !== undefined)

/**
 * Every block of the IPv4 special-purpose registry, the globally reachable anycast ones too, since no receiver lives
 * there; multicast and the reserved class; and the platform address of Azure, which answers inside its networks only.
 *
 * Source: IANA IPv4 Special-Purpose Address Registry (RFC 6890); RFC 5771; RFC 1112 section 4.
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

/** The one block of IPv6 that holds public unicast addresses. Source: RFC 4291 section 2.4. */
const globalUnicast: Block = { bytes: [0x20, ...Array.from({ length: 15 }, () => 0)], bits: 3 }

/** What is special inside `2000::/3`. Source: IANA IPv6 Special-Purpose Address Registry (RFC 6890). */
const specialIpv6 = blocksOf([
  "2001::/23", // protocol assignments: Teredo, benchmarking, ORCHID, …
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4
  "2620:4f:8000::/48", // AS112
  "3fff::/20", // documentation
])
