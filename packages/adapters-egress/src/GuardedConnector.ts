import { isIP, type Socket } from "node:net"
import {
  checkServerIdentity,
  connect as connectTls,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from "node:tls"
import { addressFromText, type AddressPolicy, type WebhookUrl } from "@tocsin/domain/delivery"
import type { ConnectTimings } from "@tocsin/domain/ports"
import { Cancellation, type CancelSignal } from "./Cancellation.ts"
import type { NameResolver } from "./NameResolver.ts"
import {
  connectFailure,
  failure,
  lookupFailure,
  noAltNameCode,
  type PeerCertificateDates,
  tlsFailure,
} from "./NetworkFailure.ts"

/** Opens a TCP connection to an address; never resolves a name. */
export type Dial = (target: { readonly host: string; readonly port: number }) => Socket

/** Opens a verified connection to the host of a URL, or rejects with `TransportFailure`. Writes to `timings` what it completes. */
export type GuardedConnector<S extends Socket = Socket> = (
  url: WebhookUrl,
  signal: CancelSignal,
  secureContext?: SecureContext,
  timings?: MeasuredTimings,
) => Promise<S>

/** The timings of a connection that is being opened. */
export type MeasuredTimings = { -readonly [K in keyof ConnectTimings]: ConnectTimings[K] }

export interface GuardOptions {
  readonly policy: AddressPolicy
  readonly resolve: NameResolver
  readonly dial: Dial
  readonly secureContext: SecureContext
  readonly lookupTimeoutMs: number
  readonly connectTimeoutMs: number
}

/**
 * Makes the connector for TLS, whatever the scheme of the URL.
 *
 * A name is resolved once, within its own deadline, and denied when any of its addresses is forbidden. Only the checked
 * addresses are dialed, so a later DNS change has no effect, and after connecting the peer must be one of them. SNI and
 * the certificate follow the name in the URL. `connectTimeoutMs` covers TCP and TLS. A connection can have TLS settings of
 * its own.
 */
export const makeGuardedConnector = (options: GuardOptions): GuardedConnector<TLSSocket> =>
  guarded(options, (socket, host, signal, secureContext = options.secureContext) =>
    secure(socket, host, secureContext, signal),
  )

/** Makes the connector that also allows `http://`, without TLS. */
export const makeGuardedSourceConnector = (options: GuardOptions): GuardedConnector => {
  const connectTls = makeGuardedConnector(options)
  const connectPlain = guarded(options, (socket) => Promise.resolve(socket))
  return (url, signal, secureContext, timings) =>
    (url.href.startsWith("http://") ? connectPlain : connectTls)(url, signal, secureContext, timings)
}

const guarded =
  <S extends Socket>(
    options: GuardOptions,
    finish: (
      socket: Socket,
      host: string,
      signal: CancelSignal,
      secureContext: SecureContext | undefined,
    ) => Promise<S>,
  ): GuardedConnector<S> =>
  async (url, signal, secureContext, timings = {}) => {
    const startedAtMs = performance.now()
    const addresses = await vettedAddresses(url.host, options, signal)
    const vettedAtMs = performance.now()
    if (isIP(url.host) === 0) timings.lookupMs = vettedAtMs - startedAtMs
    const abort = new Cancellation()
    const giveUp = (): void => abort.abort()
    const timer = setTimeout(giveUp, options.connectTimeoutMs)
    signal.addEventListener("abort", giveUp, { once: true })
    try {
      if (signal.aborted) giveUp()
      const socket = await dialFirst(addresses, url.port, options.dial, abort.signal)
      if (!isOneOf(socket.remoteAddress, addresses)) {
        socket.destroy()
        throw failure("address_blocked")
      }
      const dialedAtMs = performance.now()
      timings.tcpMs = dialedAtMs - vettedAtMs
      const finished = await finish(socket, url.host, abort.signal, secureContext)
      if (finished !== socket) timings.tlsMs = performance.now() - dialedAtMs
      return finished
    } finally {
      clearTimeout(timer)
      signal.removeEventListener("abort", giveUp)
    }
  }

/** Maximum addresses dialed for one name; all of its addresses are checked. */
const dialledMax = 6

/** Delay before the next address is tried in parallel, in milliseconds (RFC 8305 section 5). */
const nextAddressAfterMs = 250

const vettedAddresses = async (
  host: string,
  options: {
    readonly policy: AddressPolicy
    readonly resolve: NameResolver
    readonly lookupTimeoutMs: number
  },
  signal: CancelSignal,
): Promise<ReadonlyArray<string>> => {
  const addresses = isIP(host) === 0 ? await lookUp(host, options, signal) : [host]
  if (addresses.length === 0) throw failure("dns_not_found")
  if (!addresses.every(options.policy.isAllowed)) throw failure("address_blocked")
  return interleaved(addresses).slice(0, dialledMax)
}

const lookUp = (
  name: string,
  options: { readonly resolve: NameResolver; readonly lookupTimeoutMs: number },
  signal: CancelSignal,
): Promise<ReadonlyArray<string>> =>
  new Promise((resolve, reject) => {
    const giveUp = (): void => reject(failure("dns_timeout"))
    if (signal.aborted) return giveUp()
    const timer = setTimeout(giveUp, options.lookupTimeoutMs)
    signal.addEventListener("abort", giveUp, { once: true })
    options
      .resolve(name)
      .then(resolve, (error: unknown) => reject(lookupFailure(error)))
      .finally(() => {
        clearTimeout(timer)
        signal.removeEventListener("abort", giveUp)
      })
  })

/** Alternates families, IPv4 first, so that a family without a route costs one step (RFC 8305 section 4). */
const interleaved = (addresses: ReadonlyArray<string>): ReadonlyArray<string> => {
  const ipv4 = addresses.filter((address) => isIP(address) === 4)
  const ipv6 = addresses.filter((address) => isIP(address) === 6)
  return Array.from({ length: Math.max(ipv4.length, ipv6.length) }, (_, index) => [ipv4[index], ipv6[index]])
    .flat()
    .filter((address) => address !== undefined)
}

/** Uses the first address that accepts; tries the next when one fails or is slow; closes the others. */
const dialFirst = (
  addresses: ReadonlyArray<string>,
  port: number,
  dial: Dial,
  signal: CancelSignal,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const pending = new Set<Socket>()
    let next = 0
    let timer: ReturnType<typeof setTimeout> | undefined

    const finish = (): void => {
      clearTimeout(timer)
      signal.removeEventListener("abort", giveUp)
      for (const socket of pending) socket.destroy()
      pending.clear()
    }
    const giveUp = (): void => {
      finish()
      reject(failure("connect_timeout"))
    }
    const tryNext = (): void => {
      clearTimeout(timer)
      const host = addresses[next]
      if (host === undefined) return
      next += 1
      const socket = dial({ host, port })
      pending.add(socket)
      socket.once("connect", () => {
        if (!pending.delete(socket)) return
        finish()
        resolve(socket)
      })
      socket.on("error", (error) => {
        if (!pending.delete(socket)) return
        if (next < addresses.length) tryNext()
        else if (pending.size === 0) {
          finish()
          reject(connectFailure(error))
        }
      })
      if (next < addresses.length) timer = setTimeout(tryNext, nextAddressAfterMs)
    }

    if (signal.aborted) return giveUp()
    signal.addEventListener("abort", giveUp, { once: true })
    tryNext()
  })

/** Compares addresses by their bytes, since one IPv6 address has many spellings. */
const isOneOf = (address: string | undefined, vetted: ReadonlyArray<string>): boolean => {
  const bytes = address === undefined ? undefined : addressFromText(address)?.join()
  return bytes !== undefined && vetted.some((candidate) => addressFromText(candidate)?.join() === bytes)
}

/**
 * Verifies that a certificate is for a host, by its subject alternative names alone (RFC 9525, section 6.3). Node.js accepts
 * the common name when there are none.
 */
const verifyName = (host: string, certificate: PeerCertificate): Error | undefined =>
  /(?:^|, )(?:DNS|IP Address):/.test(certificate.subjectaltname ?? "")
    ? checkServerIdentity(host, certificate)
    : Object.assign(new Error("the certificate has no subject alternative name"), { code: noAltNameCode })

const secure = (
  socket: Socket,
  host: string,
  secureContext: SecureContext,
  signal: CancelSignal,
): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    let dates: PeerCertificateDates | undefined
    const tls = connectTls({
      socket,
      secureContext,
      ALPNProtocols: ["http/1.1"],
      rejectUnauthorized: true,
      checkServerIdentity: verifyName,
      ...(isIP(host) === 0 ? { servername: host } : { host }),
    })
    // Stays, to handle an error between the handshake and the first request.
    tls.on("error", () => {})
    const finish = (): void => {
      signal.removeEventListener("abort", giveUp)
      tls.off("error", rejectHandshake)
    }
    const giveUp = (): void => {
      finish()
      tls.destroy()
      reject(failure("connect_timeout", "the receiver did not finish the TLS handshake in time"))
    }
    const rejectHandshake = (error: Error): void => {
      finish()
      reject(tlsFailure(error, dates, new Date()))
    }
    // A rejected certificate is no longer readable when its error is emitted.
    tls.prependListener("secure", () => {
      const certificate = tls.getPeerCertificate()
      if (certificate.valid_to !== undefined) {
        dates = { validFrom: new Date(certificate.valid_from), validTo: new Date(certificate.valid_to) }
      }
    })
    tls.on("error", rejectHandshake)
    tls.once("secureConnect", () => {
      finish()
      resolve(tls)
    })
    if (signal.aborted) return giveUp()
    signal.addEventListener("abort", giveUp, { once: true })
  })
