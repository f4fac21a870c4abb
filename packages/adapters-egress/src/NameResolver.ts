import { Resolver, lookup } from "node:dns/promises"
import type { AddressPolicy } from "@tocsin/domain/delivery"

/**
 * Finds all IPv4 and IPv6 addresses of a name.
 *
 * Rejects with an error with a `code` of `node:dns`. Returns an empty list, or rejects, when there is no address.
 */
export type NameResolver = (name: string) => Promise<ReadonlyArray<string>>

/**
 * Where only public addresses are allowed, queries the name servers directly: slow names then cannot exhaust the few
 * threads of the system's look-up. Where the operator has allowed a private block, uses the system's look-up, since
 * private names can come from hosts files and search domains.
 */
export const nameResolverOf = (policy: AddressPolicy): NameResolver =>
  policy.hasAllowedCidrs ? resolveBySystem : resolveByNameServers()

const resolveBySystem: NameResolver = async (name) => {
  const found = await lookup(name, { all: true, verbatim: true })
  return found.map(({ address }) => address)
}

/** Two tries of 1.5 and 3 s, so that unresponsive servers of one family do not exceed the deadline of the look-up. */
const resolveByNameServers = (): NameResolver => {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  return async (name) => {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = [ipv4, ipv6].flatMap((family) => (family.status === "fulfilled" ? family.value : []))
    if (addresses.length === 0 && ipv4.status === "rejected") throw ipv4.reason
    return addresses
  }
}
