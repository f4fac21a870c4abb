import * as Context from "effect/Context"

/**
 * Port: bytes that nobody can foretell, for secrets and identifiers.
 *
 * Synchronous and total: a platform without a secure source of randomness cannot run the service at all.
 */
export class RandomBytes extends Context.Service<
  RandomBytes,
  { readonly randomBytes: (length: number) => Uint8Array }
>()("@tocsin/domain/access/RandomBytes") {}
