import type { Parts } from "@tocsin/domain/adapter"
import { type Codec, isObject, type IssueList, literals, optional, type Reader } from "@tocsin/domain/codec"
import { anything, foreignObject } from "./Foreign.ts"
import { type OpenSloMetadata, openSloMetadata, writtenName } from "./OpenSloMetadata.ts"

const openSloKinds = [
  "Service",
  "DataSource",
  "SLI",
  "SLO",
  "AlertPolicy",
  "AlertCondition",
  "AlertNotificationTarget",
] as const

export type OpenSloKind = (typeof openSloKinds)[number]

const openSloVersions = ["openslo/v1", "openslo/v1alpha"] as const

interface Described {
  readonly kind: OpenSloKind
  readonly name: string
  readonly issues: IssueList
  readonly value: unknown
}

/** The documents by kind and name; each is read once. */
export class OpenSloDocuments {
  readonly #byKey = new Map<string, Described>()
  readonly #readByKey = new Map<string, unknown>()
  #omitted = 0

  /** Omits, with a note, duplicates and documents of other versions. */
  constructor(sources: ReadonlyArray<{ readonly value: unknown; readonly issues: IssueList }>) {
    for (const { value, issues } of sources) {
      const head = documentHead.read(value, "", issues, undefined)
      if (head === undefined) {
        this.#omitted++
        continue
      }
      const key = keyOf(head.kind, head.name)
      if (this.#byKey.has(key)) {
        this.#omitted++
        issues.add("metadata.name", "duplicate", "is omitted: an earlier document defines the same object")
      } else this.#byKey.set(key, { ...head, issues, value })
    }
  }

  /** The number of documents that the constructor omitted. */
  get omitted(): number {
    return this.#omitted
  }

  namesOf(kind: OpenSloKind): ReadonlyArray<string> {
    return [...this.#byKey.values()].filter((each) => each.kind === kind).map(({ name }) => name)
  }

  has(kind: OpenSloKind, name: string): boolean {
    return this.#byKey.has(keyOf(kind, name))
  }

  /** Returns `undefined` if the document is missing or invalid. */
  read<A>(kind: OpenSloKind, name: string, read: Reader<A>): A | undefined {
    const key = keyOf(kind, name)
    const found = this.#byKey.get(key)
    if (found === undefined) return undefined
    if (!this.#readByKey.has(key)) {
      // Not read again when it leads back to itself.
      this.#readByKey.set(key, undefined)
      this.#readByKey.set(key, read(found.value, "", found.issues, undefined))
    }
    // A kind is read in one way.
    return this.#readByKey.get(key) as A | undefined
  }

  /** Reads all documents of a kind, referenced or not. */
  *readAll(kind: OpenSloKind, read: Reader<unknown>): Parts<void> {
    for (const name of this.namesOf(kind)) {
      yield
      this.read(kind, name, read)
    }
  }

  reportUnread(message: string): void {
    for (const [key, { issues }] of this.#byKey) {
      if (!this.#readByKey.has(key)) issues.add("", "not_found", message)
    }
  }
}

/** A document, or an inline object, which can omit `apiVersion` and `kind`. */
export const documentOf = <Spec>(
  kind: OpenSloKind,
  spec: Codec<Spec>,
): Codec<{ readonly metadata: OpenSloMetadata; readonly spec: Spec }> =>
  partOf(kind, spec, openSloMetadata({ hasLabels: kind !== "AlertNotificationTarget" }))

export const partOf = <Spec, Metadata>(
  kind: OpenSloKind,
  spec: Codec<Spec>,
  metadata: Codec<Metadata>,
): Codec<{ readonly metadata: Metadata; readonly spec: Spec }> =>
  foreignObject({
    apiVersion: optional(literals(openSloVersions)),
    kind: optional(literals([kind])),
    metadata,
    // A service can have no specification.
    spec: kind === "Service" ? optional(spec, { default: () => ({}) as Spec }) : spec,
  }).to((whole, { path, issues }) => {
    if (whole !== undefined && "spec" in whole) return { metadata: whole.metadata, spec: whole.spec }
    const message = `the ${kind} is omitted because a part that it requires is omitted`
    return issues.add(path, "document_invalid", message)
  })

/**
 * The name in a reference, which is an object with only this property, or a string; `undefined` if the entry
 * is not a reference.
 */
export const referenceOf = (
  property: string,
  ...[value, path, issues, context]: Parameters<Reader<string>>
): string | undefined => {
  if (typeof value === "string") return value
  const name = isObject(value) && Object.hasOwn(value, property) ? value[property] : undefined
  if (typeof name !== "string" || name === "") return undefined
  foreignObject({ [property]: anything }).read(value, path, issues, context)
  return name
}

const keyOf = (kind: OpenSloKind, name: string): string => `${kind}/${name}`

/** Only what identifies a document. */
const documentHead = foreignObject(
  {
    apiVersion: literals(openSloVersions),
    kind: literals(openSloKinds),
    metadata: foreignObject({ name: writtenName }, { isOpen: true }),
  },
  { isOpen: true },
).to((whole) => whole && { kind: whole.kind, name: whole.metadata.name })
