import { addressFromText } from "../alert-method/AddressPolicy.ts"

/**
 * The network of a client, which requests of strangers are counted by: the address itself for IPv4, also for IPv4 in IPv6,
 * and the first 64 bits for IPv6, as a single customer has as many addresses as that.
 *
 * `198.51.100.7` is itself, as is `::ffff:198.51.100.7`; `2001:db8:1:2::7` is `2001:db8:1:2::/64`. A port, as some proxies
 * forward it, and a zone are left out. Text that is no address is shortened to 64 characters.
 */
export const clientNetwork = (address: string): string => {
  const [, bracketed, plain] = withPort.exec(address) ?? []
  const bytes = addressFromText((bracketed ?? plain ?? address).replace(/%.*$/, ""))
  if (bytes === undefined) return address.slice(0, 64)
  if (bytes.length === 4) return bytes.join(".")
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  if (isMapped) return bytes.slice(12).join(".")
  const groups = [0, 2, 4, 6].map((at) => ((bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)).toString(16))
  return `${groups.join(":")}::/64`
}

/** `198.51.100.7:49152`, `[2001:db8::7]:49152` and `[2001:db8::7]`. */
const withPort = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/
