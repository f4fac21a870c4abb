import * as Result from "effect/Result"
import { connect as connectTcp } from "node:net"
import { createSecureContext, rootCertificates } from "node:tls"
import { makeAddressPolicy } from "@tocsin/domain/delivery"
import * as Effect from "effect/Effect"
import type { Dial, GuardOptions } from "./GuardedConnector.ts"
import { type NameResolver, nameResolverOf } from "./NameResolver.ts"

/** Timeout for establishing an outbound connection (TCP and TLS), in milliseconds. */
const connectTimeoutMs = 5_000

/** Timeout of a DNS lookup, in milliseconds. */
const lookupTimeoutMs = 5_000

/** Where requests may go to, and how long they may take. */
export interface EgressOptions {
  /** Blocks of private addresses that may be dialed, such as `10.0.0.0/8`. */
  readonly allowCidrs: ReadonlyArray<string>
  /** Certificates in PEM that are trusted beside those of Node.js. */
  readonly caPem?: string | undefined
  /** The version in the `User-Agent`. */
  readonly version?: string | undefined
  /** How names are resolved. Default: the resolver of the system. */
  readonly resolve?: NameResolver
  /** How addresses are dialed. Default: TCP. */
  readonly dial?: Dial
  /** The longest lookup of a name. */
  readonly lookupTimeoutMs?: number
  /** The longest connection setup, TLS included. */
  readonly connectTimeoutMs?: number
  /** The longest request, from the lookup to the end of the response. */
  readonly deadlineMs?: number
}

/**
 * The guard of outbound connections. Ignores the environment: no proxy, and no switch that turns verification off.
 *
 * Dies when `allowCidrs` contains an invalid block.
 */
export const egressGuard = (options: EgressOptions): Effect.Effect<GuardOptions> =>
  Effect.gen(function* () {
    const policy = makeAddressPolicy(options.allowCidrs)
    if (Result.isFailure(policy))
      return yield* Effect.die(new Error(`not blocks of addresses: ${policy.failure.join(", ")}`))
    return {
      policy: policy.success,
      resolve: options.resolve ?? nameResolverOf(policy.success),
      dial: options.dial ?? dialByTcp,
      secureContext: createSecureContext({
        minVersion: "TLSv1.2",
        ...(options.caPem === undefined ? {} : { ca: [...rootCertificates, options.caPem] }),
      }),
      lookupTimeoutMs: options.lookupTimeoutMs ?? lookupTimeoutMs,
      connectTimeoutMs: options.connectTimeoutMs ?? connectTimeoutMs,
    }
  })

export const userAgentOf = ({ version }: EgressOptions): string =>
  version === undefined ? "tocsin" : `tocsin/${version}`

/** Without Nagle's algorithm, so that the end of a body does not wait for an acknowledgement. */
const dialByTcp: Dial = (target) => connectTcp({ ...target, noDelay: true })
