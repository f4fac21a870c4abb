import { IssueList } from "../codec/Issue.ts"
import { lenientObjectOf, objectOf, type Rule } from "./ObjectRule.ts"
import { oneOf } from "../codec/Leaves.ts"
import { type OpenSloMetadata, openSloMetadata, writtenName } from "./OpenSloMetadata.ts"

/** The kinds of object that OpenSLO v1 has. Source: OpenSLO v1, Object Types. */
const openSloKinds = [
  "Service",
  "DataSource",
  "SLI",
  "SLO",
  "AlertPolicy",
  "AlertCondition",
  "AlertNotificationTarget",
] as const

/** One of the kinds of object that OpenSLO v1 has. */
export type OpenSloKind = (typeof openSloKinds)[number]

/** A document whose kind and name can be read. */
interface Described {
  readonly kind: OpenSloKind
  readonly name: string
  readonly issues: IssueList
  readonly value: unknown
}

/** The documents by kind and name, each read once however often it is referred to. */
export class OpenSloDocuments {
  /** The notes about each document, in order. */
  readonly issues: ReadonlyArray<IssueList>
  readonly #byKey = new Map<string, Described>()
  readonly #readByKey = new Map<string, unknown>()

  /** Leaves out, with a note, documents that are not OpenSLO v1 and duplicates. */
  constructor(documents: ReadonlyArray<unknown>) {
    this.issues = documents.map((value) => {
      const issues = new IssueList()
      const head = headRule(value, "", issues)
      if (head === undefined) return issues
      const key = keyOf(head.kind, head.name)
      if (this.#byKey.has(key)) {
        issues.add("metadata.name", "duplicate", "is omitted: an earlier document describes the same object")
      } else this.#byKey.set(key, { ...head, issues, value })
      return issues
    })
  }

  /** How many documents were left out from the start. */
  get refused(): number {
    return this.issues.length - this.#byKey.size
  }

  namesOf(kind: OpenSloKind): ReadonlyArray<string> {
    return [...this.#byKey.values()].filter((each) => each.kind === kind).map(({ name }) => name)
  }

  has(kind: OpenSloKind, name: string): boolean {
    return this.#byKey.has(keyOf(kind, name))
  }

  /** The decoded document, read once; `undefined` if it is missing or invalid. */
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

  /** Reads every document of a kind, so that each is in the result though nothing refers to it. */
  readAll(kind: OpenSloKind, rule: Rule<unknown>): void {
    for (const name of this.namesOf(kind)) this.read(kind, name, rule)
  }

  /** Adds a note to each document that was not read. */
  reportUnread(message: string): void {
    for (const [key, { issues }] of this.#byKey) {
      if (!this.#readByKey.has(key)) issues.add("", "not_found", message)
    }
  }
}

/** A document of a kind, or the same within another one, where `apiVersion` and `kind` may be absent. */
export const documentOf = <Spec>(
  kind: OpenSloKind,
  spec: Rule<Spec>,
): Rule<{ readonly metadata: OpenSloMetadata; readonly spec: Spec }> =>
  partOf(kind, spec, openSloMetadata({ hasLabels: kind !== "AlertNotificationTarget" }))

/** The same with another rule for its metadata. */
export const partOf = <Spec, Metadata>(
  kind: OpenSloKind,
  spec: Rule<Spec>,
  metadata: Rule<Metadata>,
): Rule<{ readonly metadata: Metadata; readonly spec: Spec }> =>
  objectOf((reader) => {
    reader.optional("apiVersion", oneOf(["openslo/v1"]))
    reader.optional("kind", oneOf([kind]))
    const named = reader.required("metadata", metadata)
    const said = reader.required("spec", spec)
    if (named !== undefined && said !== undefined) return { metadata: named, spec: said }
    const message = `the ${kind} is omitted because a part that it requires is omitted`
    return reader.issues.add(reader.path, "document_invalid", message)
  })

/**
 * The name in an entry that refers to an object by a property, beside which there can be nothing else; an entry may
 * also be nothing but the name. `undefined`: it is no reference.
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

/** Everything else is judged where the document is read as what it is. */
const headRule: Rule<Pick<Described, "kind" | "name">> = lenientObjectOf((reader) => {
  const version = reader.required("apiVersion", oneOf(["openslo/v1"]))
  const kind = reader.required("kind", oneOf(openSloKinds))
  const name = reader.required(
    "metadata",
    lenientObjectOf((metadata) => metadata.required("name", writtenName)),
  )
  return version === undefined || kind === undefined || name === undefined ? undefined : { kind, name }
})
