import { clientNetwork } from "../../src/access/ClientNetwork.ts"
import { expect, it } from "@tocsin/testing/vitest"

it.each([
  ["198.51.100.7", "198.51.100.7"],
  ["::ffff:198.51.100.7", "198.51.100.7"],
  ["::ffff:c633:6407", "198.51.100.7"],
  ["2001:db8:1:2::7", "2001:db8:1:2::/64"],
  ["2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
  ["2001:db8:1:3::7", "2001:db8:1:3::/64"],
  ["::1", "0:0:0:0::/64"],
  ["198.51.100.7:49152", "198.51.100.7"],
  ["[2001:db8:1:2::7]:49152", "2001:db8:1:2::/64"],
  ["[2001:db8:1:2::7]", "2001:db8:1:2::/64"],
  ["[::ffff:198.51.100.7]:1", "198.51.100.7"],
  ["fe80::7%eth0", "fe80:0:0:0::/64"],
  ["unknown", "unknown"],
  ["", ""],
  ["x".repeat(10_000), "x".repeat(64)],
])("spec/rate-limits §3: the network of %s", (address, network) => {
  expect(clientNetwork(address)).toBe(network)
})
