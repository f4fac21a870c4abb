/** Documents that are kept as they were given: they are no definitions, and have no effect. */
import { isObject } from "../codec/Leaves.ts"
import type { Labels } from "../metadata/Metadata.ts"
import { definitionKeyText } from "../metadata/ObjectKey.ts"
import { askingPart, type ObjectKey } from "./Part.ts"

/** A document that is kept as it was given. */
export interface KeptDocument extends ObjectKey {
  /** JSON of the document without `apiVersion`. */
  readonly text: string
}

/** Documents to write and to delete with a change of definitions. */
export interface KeptChange {
  /** Documents to create or replace. */
  readonly put: ReadonlyArray<KeptDocument>
  /** Documents to delete; those that do not exist are ignored. */
  readonly remove: ReadonlyArray<ObjectKey>
}

/** Selects documents that are kept; what is absent selects all. */
export interface KeptQuery {
  /** Default: all kinds. */
  readonly kind?: string
  /** Default: all projects. */
  readonly project?: string
  /** Default: all names. */
  readonly names?: ReadonlyArray<string>
}

/** Documents to keep, and to delete. Asks for the document of a key. */
export const keptPart = askingPart<KeptChange, ObjectKey, KeptDocument | undefined>({
  name: "kept documents",
  unread: undefined,
  textOf: definitionKeyText,
})

/** Asks for the first `referrersReadMax` documents that are kept in a project. */
export const keptInProjectPart = askingPart<never, string, ReadonlyArray<ObjectKey>>({
  name: "kept documents of a project",
  unread: [],
  textOf: (project) => project,
})

/** The document as the API returns it. */
export const keptToJson = ({ text }: KeptDocument, apiVersion: string): object => ({
  apiVersion,
  ...(JSON.parse(text) as object),
})

/** The labels that a document has, of which nothing is validated. */
export const keptLabels = ({ text }: KeptDocument): Labels => {
  const { metadata }: { readonly metadata?: { readonly labels?: unknown } } = JSON.parse(text)
  const labels = metadata?.labels
  return Object.fromEntries(
    Object.entries(isObject(labels) ? labels : {}).map(([key, values]) => [
      key,
      [values].flat().filter((value) => typeof value === "string"),
    ]),
  )
}
