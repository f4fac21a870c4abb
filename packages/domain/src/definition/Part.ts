import type { ProjectKey } from "../metadata/ObjectKey.ts"

/**
 * What a feature writes together with a change of definitions: values of `W`. In the transaction of the change it may ask questions
 * `Q` with answers `A`. The participant of the same part in the store answers and writes.
 */
export interface Part<W, Q = never, A = never> {
  /** Unique among the parts of a host. */
  readonly name: string
  /** The answer as long as the store has not read it; a decision with it is made again. */
  readonly unread: A
  /** Equal questions of one change have equal texts. */
  readonly textOf: (question: Q) => string
  /** Never there: it holds the type of the values. */
  readonly written?: (value: W) => W
}

/** A part that asks nothing. */
export const part = <W>(name: string): Part<W> => ({ name, unread: undefined as never, textOf: String })

/** A part that asks questions in the transaction of the change. */
export const askingPart = <W, Q, A>(
  options: Pick<Part<W, Q, A>, "name" | "unread" | "textOf">,
): Part<W, Q, A> => options

/** A value of one part. */
export interface PartChange {
  /** The part, by whose name a store finds what writes it. */
  readonly part: { readonly name: string }
  /** What is written, of the type that the part declares. */
  readonly value: unknown
}

/** Pairs a value with its part, which `valuesOf` takes apart again. */
export const partChange = <W, Q, A>(part: Part<W, Q, A>, value: W): PartChange => ({ part, value })

/** The values of one part of a change. */
export const valuesOf = <W, Q, A>(
  changes: ReadonlyArray<PartChange> | undefined,
  { name }: Part<W, Q, A>,
): ReadonlyArray<W> =>
  (changes ?? []).flatMap(({ part, value }) =>
    // Only `partChange` makes them, with a value of the part's own type.
    part.name === name ? [value as W] : [],
  )

/** Identifies an object of any kind, also one that has no definitions. The project of an object without one is `""`. */
export interface ObjectKey extends ProjectKey {
  /** One of `kinds`, or one that a participant takes. */
  readonly kind: string
}
