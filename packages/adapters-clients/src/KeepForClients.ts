import { definitionToJson } from "@tocsin/domain"
import type { Definition } from "@tocsin/domain/adapter"
import { isGiven, isObject } from "@tocsin/domain/codec"
import type { Kind } from "@tocsin/domain/kernel"

/** What is kept of a document: a value, or some properties of an object, and with `[]` of each entry of a list. */
type Kept = true | KeptParts

interface KeptParts {
  readonly [name: string]: Kept
}

/**
 * The properties that the public clients do not know. They drop them when they apply what they have read.
 *
 * Not those that replace what the clients require, such as `conditionGroups`: a client cannot apply a document without conditions.
 */
const unknownToClients: { readonly [K in Kind]?: Kept } = {
  Project: { spec: { statusPage: true } },
  AlertPolicy: {
    spec: {
      conditions: { "[]": { minEvents: true, minBadEvents: true } },
      renotify: true,
      then: true,
    },
  },
  AlertMethod: { spec: { webhook: { sendResolution: true } } },
  AlertSilence: {
    metadata: { displayName: true, annotations: true },
    spec: { notifyBeforeEnd: true },
  },
}

/**
 * A document of a public client, with what it does not know of the stored definition, as far as the document lacks it; `undefined` if
 * nothing of the kind is unknown to the clients. Source: spec/clients §2.
 */
export const withUnknownToClients = (document: unknown, stored: Definition): unknown => {
  const kept = unknownToClients[stored.kind]
  return kept && keep(kept, document, definitionToJson(stored, ""))
}

const keep = (kept: Kept, given: unknown, stored: unknown): unknown => {
  if (kept === true) return isGiven(given) ? given : stored
  if (Array.isArray(given) && Array.isArray(stored)) {
    const parts = kept["[]"]
    return parts === undefined || parts === true ? given : keepOfEntries(parts, given, stored)
  }
  if (!isObject(given) || !isObject(stored)) return given
  const added = Object.entries(kept).flatMap(([name, part]) => {
    const value = keep(part, given[name], stored[name])
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...given, ...Object.fromEntries(added) }
}

/** Each entry keeps what the stored entry has that is the same or, if none is, the one in its place. */
const keepOfEntries = (
  kept: KeptParts,
  given: ReadonlyArray<unknown>,
  stored: ReadonlyArray<unknown>,
): ReadonlyArray<unknown> => {
  const left = new Set(stored.keys())
  const same = given.map((entry) => {
    const index = [...left].find((each) => isSame(kept, entry, stored[each]))
    if (index !== undefined) left.delete(index)
    return index
  })
  return given.map((entry, place) => {
    const index = same[place] ?? (left.has(place) ? place : undefined)
    return index === undefined ? entry : keep(kept, entry, stored[index])
  })
}

/** Whether an entry says nothing else than the stored one. */
const isSame = (kept: KeptParts, given: unknown, stored: unknown): boolean =>
  isObject(given) &&
  isObject(stored) &&
  Object.entries(given).every(
    ([name, value]) =>
      !isGiven(value) || Object.hasOwn(kept, name) || JSON.stringify(value) === JSON.stringify(stored[name]),
  )
