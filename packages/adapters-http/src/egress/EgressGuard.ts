import * as Result from "effect/Result"
import { connect as connectTcp } from "node:net"
import { createSecureContext, rootCertificates } from "node:tls"
import { makeAddressPolicy } from "@tocsin/domain/alert-method/AddressPolicy"
import * as Effect from "effect/Effect"
import type { Dial, GuardOptions } from "./GuardedConnector.ts"
import { type NameResolver, nameResolverOf } from "./NameResolver.ts"

/** Time to establish a connection, in milliseconds. */
export const connectTimeoutMs = 5_000

/** Time for looking up a name, in milliseconds. */
export const lookupTimeoutMs = 5_000

/**
 * How a way out of the process is set up.
 *
 * `allowCidrs` are blocks as `makeAddressPolicy` takes them, checked where the configuration is read. `caPem` holds
 * certificates that are trusted beside those that Node ships with. `version` is part of the `user-agent`. `resolve` and
 * `dial` replace name look-up and TCP for tests of the guard. Times are in milliseconds and default to `Limits`.
 */
export interface EgressOptions {
  readonly allowCidrs: ReadonlyArray<string>
  readonly caPem?: string | undefined
  readonly version?: string | undefined
  readonly resolve?: NameResolver
  readonly dial?: Dial
  readonly lookupTimeoutMs?: number
  readonly connectTimeoutMs?: number
  readonly deadlineMs?: number
}

/**
 * The guard of a way out: nothing is read from the environment, neither a proxy nor a switch that would turn
 * verification off.
 *
 * Dies when `allowCidrs` holds what is no block.
 *
 * Source: spec/delivery §4.
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

/** What requests say of who sends them. */
export const userAgentOf = ({ version }: EgressOptions): string =>
  version === undefined ? "tocsin" : `tocsin/${version}`

/** Without Nagle's algorithm, so that the end of a body does not wait for an acknowledgement. */
const dialByTcp: Dial = (target) => connectTcp({ ...target, noDelay: true })
