import * as Redacted from "effect/Redacted"

/**
 * Makes a `Redacted` value that `reveal` reads in every copy of Effect of the process. A bundled server and the stores that its
 * operator adds have a copy each, and `Redacted.value` reads only the values of its own copy.
 */
export const redact = <A>(value: A): Redacted.Redacted<A> => {
  const redacted = Redacted.make(value)
  values().set(redacted, value)
  return redacted
}

/** The value of a `Redacted` of `redact`, or of `Redacted.make` of the same copy of Effect; throws for one of another copy. */
export const reveal = <A>(redacted: Redacted.Redacted<A>): A =>
  values().has(redacted) ? (values().get(redacted) as A) : Redacted.value(redacted)

/** One for all copies. */
const values = (): WeakMap<object, unknown> => (shared[key] ??= new WeakMap())

const key = Symbol.for("@tocsin/domain/secret/SharedRedacted")

const shared = globalThis as { [key]?: WeakMap<object, unknown> }
