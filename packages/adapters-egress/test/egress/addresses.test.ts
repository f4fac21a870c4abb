import * as Result from "effect/Result"
import { addressFromText, makeAddressPolicy, publicAddressesOnly } from "@tocsin/domain/delivery"
import * as fc from "fast-check"
import ipaddr from "ipaddr.js"
import { describe, expect, it } from "vitest"

const forbidden = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.0",
  "10.255.255.255",
  "100.64.0.1",
  "100.100.100.200",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.169.254",
  "169.254.170.2",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.8",
  "192.0.0.192",
  "192.0.2.1",
  "192.31.196.1",
  "192.52.193.1",
  "192.88.99.1",
  "192.168.0.1",
  "192.175.48.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "0:0:0:0:0:0:0:1",
  "::127.0.0.1",
  "::7f00:1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::FFFF:10.0.0.1",
  "::ffff:8.8.8.8",
  "::ffff:0:127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b::169.254.169.254",
  "64:ff9b:1::10.0.0.1",
  "100::1",
  "2001::1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:a00:1::1",
  "2620:4f:8000::1",
  "3fff::1",
  "5f00::1",
  "fc00::1",
  "fd00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "ff0e::1",
  "2a00:1450:4001:81b::5efe:7f00:1",
  "2a00:1450:4001:81b:200:5efe:a00:1",
]

const allowed = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.1",
  "168.63.129.15",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.1",
  "192.167.255.255",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2600::",
  "2001:200::1",
  "2001:4860:4860::8888",
  "2003::1",
  "2606:4700:4700::1111",
  "2a00:1450:4001:81b::200e",
]

const notAddresses = [
  "",
  "localhost",
  "127.1",
  "0177.0.0.1",
  "127.0.0.01",
  "0x7f.0.0.1",
  "2130706433",
  "1.2.3.4.5",
  "1.2.3.256",
  "1.2.3.4 ",
  ":",
  ":::",
  "1::2::3",
  "1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:8:9",
  "1:2:3:4:5:6:7::8",
  "12345::",
  "::g",
  "[::1]",
  "::1/128",
  "1.2.3.4::",
  "::1.2.3",
]

describe("the addresses a notification may go to", () => {
  it.each(forbidden)("spec/delivery §11: %s is rejected", (address) => {
    expect(publicAddressesOnly.isAllowed(address)).toBe(false)
  })

  it.each(allowed)("spec/delivery §11: %s is public", (address) => {
    expect(publicAddressesOnly.isAllowed(address)).toBe(true)
  })

  it.each(notAddresses)("what is no address is rejected: %j", (text) => {
    expect(addressFromText(text)).toBeUndefined()
    expect(publicAddressesOnly.isAllowed(text)).toBe(false)
  })

  it("spec/delivery §11: no address that we allow is special to ipaddr.js", () => {
    for (const address of allowed) expect(ipaddr.parse(address).range()).toBe("unicast")
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), specialNeighbour), (address) => {
        fc.pre(addressFromText(address) !== undefined && publicAddressesOnly.isAllowed(address))
        expect(ipaddr.parse(address).range()).toBe("unicast")
      }),
      { numRuns: 5_000 },
    )
  })

  it("addresses are read as ipaddr.js and the URL parser read them", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        const bytes = addressFromText(address)
        const { hostname } = new URL(`https://${address.includes(":") ? `[${address}]` : address}/`)
        expect(bytes).toEqual(ipaddr.parse(hostname.replace(/^\[|\]$/g, "")).toByteArray())
      }),
      { numRuns: 2_000 },
    )
  })

  it("spec/delivery §11: the operator's CIDR ranges are allowed exactly, including their first and last address", () => {
    const policy = policyOf(["127.0.0.0/8", "10.1.2.0/23", "::1/128", "fd00::/9", "192.168.7.7/32"])
    for (const address of [
      "127.0.0.1",
      "127.255.255.255",
      "10.1.2.0",
      "10.1.3.255",
      "::1",
      "fd7f::",
      "192.168.7.7",
    ]) {
      expect(policy.isAllowed(address)).toBe(true)
    }
    for (const address of [
      "10.1.1.255",
      "10.1.4.0",
      "::2",
      "fd80::",
      "192.168.7.8",
      "::ffff:127.0.0.1",
      "::7f00:1",
    ]) {
      expect(policy.isAllowed(address)).toBe(false)
    }
    expect(policy.isAllowed("8.8.8.8")).toBe(true)
    expect(policy.hasAllowedCidrs).toBe(true)
    expect(policyOf([]).hasAllowedCidrs).toBe(false)
  })

  it("an invalid block is reported, with every other one", () => {
    const wrong = [
      "10.0.0.0",
      "10.0.0.1/8",
      "10.0.0.0/33",
      "::/129",
      "localhost/8",
      "10.0.0.0/8/8",
      "10.0.0.0/08",
      "/8",
    ]
    expect(makeAddressPolicy(["10.0.0.0/8", ...wrong])).toEqual(Result.fail(wrong))
  })
})

const policyOf = (cidrs: ReadonlyArray<string>) => {
  const policy = makeAddressPolicy(cidrs)
  if (Result.isFailure(policy)) throw new Error(policy.failure.join())
  return policy.success
}

/** Addresses near the edges of special blocks, where random ones hardly ever fall. */
const specialNeighbour = fc
  .tuple(fc.constantFrom(...forbidden.filter((text) => !text.includes("%"))), fc.nat(15), fc.nat(255))
  .map(([text, index, byte]) => {
    const bytes = [...ipaddr.parse(text).toByteArray()]
    bytes[index % bytes.length] = byte
    return ipaddr.fromByteArray(bytes).toString()
  })
