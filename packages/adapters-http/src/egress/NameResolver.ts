import { Resolver, lookup } from "node:dns/promises"
import type { AddressPolicy } from "@tocsin/domain/alert-method/AddressPolicy"

/**
 * Finds every address of a name, IPv4 and IPv6 as text.
 *
 * Rejects with an error whose `code` is one of `node:dns`. Gives an empty list, or rejects, when the name has none.
 */
export type NameResolver = (name: string) => Promise<ReadonlyArray<string>>

/**
 * The resolver that fits the policy.
 *
 * Where only public addresses are allowed the name servers are asked directly: names that take long to answer then
 * wait on sockets, and cannot fill the few threads in which the system's look-up runs. Where the operator has allowed
 * a private block, the system's look-up is used, since private names live in hosts files and search domains too.
 */
export const nameResolverOf = (policy: AddressPolicy): NameResolver =>
  policy.hasAllowedCidrs ? resolveBySystem : resolveByNameServers()

const resolveBySystem: NameResolver = async (name) => {
  const found = await lookup(name, { all: true, verbatim: true })
  return found.map(({ address }) => address)
}

/** Two tries of 1.5 and 3 s, so that a family whose servers never answer does not outlast the look-up's deadline. */
const resolveByNameServers = (): NameResolver => {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  return async (name) => {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = [ipv4, ipv6].flatMap((family) => (family.status === "fulfilled" ? family.value : []))
    if (addresses.length === 0 && ipv4.status === "rejected") throw ipv4.reason
    return addresses
  }
}
