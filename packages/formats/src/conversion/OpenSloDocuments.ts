import type { Parts } from "@tocsin/domain/adapter"
import { type IssueList, oneOf } from "@tocsin/domain/codec"
import { lenientObjectOf, objectOf, type Rule } from "./ObjectRule.ts"
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
      const head = headRule(value, "", issues)
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
  read<A>(kind: OpenSloKind, name: string, rule: Rule<A>): A | undefined {
    const key = keyOf(kind, name)
    const found = this.#byKey.get(key)
    if (found === undefined) return undefined
    if (!this.#readByKey.has(key)) {
      // Not read again when it leads back to itself.
      this.#readByKey.set(key, undefined)
      this.#readByKey.set(key, rule(found.value, "", found.issues))
    }
    // A kind is read by one rule.
    return this.#readByKey.get(key) as A | undefined
  }

  /** Reads all documents of a kind, referenced or not. */
  *readAll(kind: OpenSloKind, rule: Rule<unknown>): Parts<void> {
    for (const name of this.namesOf(kind)) {
      yield
      this.read(kind, name, rule)
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
  spec: Rule<Spec>,
): Rule<{ readonly metadata: OpenSloMetadata; readonly spec: Spec }> =>
  partOf(kind, spec, openSloMetadata({ hasLabels: kind !== "AlertNotificationTarget" }))

export const partOf = <Spec, Metadata>(
  kind: OpenSloKind,
  spec: Rule<Spec>,
  metadata: Rule<Metadata>,
): Rule<{ readonly metadata: Metadata; readonly spec: Spec }> =>
  objectOf((reader) => {
    reader.optional("apiVersion", oneOf(openSloVersions))
    reader.optional("kind", oneOf([kind]))
    const named = reader.required("metadata", metadata)
    // A service can have no specification.
    const said =
      kind === "Service" && !reader.has("spec") ? spec({}, "", reader.issues) : reader.required("spec", spec)
    if (named !== undefined && said !== undefined) return { metadata: named, spec: said }
    const message = `the ${kind} is omitted because a part that it requires is omitted`
    return reader.issues.add(reader.path, "document_invalid", message)
  })

/**
 * The name in a reference, which is an object with only this property, or a string; `undefined` if the entry
 * is not a reference.
 */
export const referenceOf = (
  property: string,
  ...[value, path, issues]: Parameters<Rule<string>>
): string | undefined => {
  if (typeof value === "string") return value
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, property)) return undefined
  const name = (value as Readonly<Record<string, unknown>>)[property]
  if (typeof name !== "string" || name === "") return undefined
  objectOf((reader) => reader.valueOf(property))(value, path, issues)
  return name
}

const keyOf = (kind: OpenSloKind, name: string): string => `${kind}/${name}`

/** Reads only what identifies a document. */
const headRule: Rule<Pick<Described, "kind" | "name">> = lenientObjectOf((reader) => {
  const version = reader.required("apiVersion", oneOf(openSloVersions))
  const kind = reader.required("kind", oneOf(openSloKinds))
  const name = reader.required(
    "metadata",
    lenientObjectOf((metadata) => metadata.required("name", writtenName)),
  )
  return version === undefined || kind === undefined || name === undefined ? undefined : { kind, name }
})
