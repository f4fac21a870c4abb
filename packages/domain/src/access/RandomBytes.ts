import { Context } from "effect"

/**
 * Port: bytes that nobody can foretell, for secrets and identifiers.
 *
 * Synchronous and total: a platform without a secure source of randomness cannot run the service at all.
 */
export class RandomBytes extends Context.Tag("@tocsin/domain/access/RandomBytes")<
  RandomBytes,
  { readonly randomBytes: (length: number) => Uint8Array }
>() {}
