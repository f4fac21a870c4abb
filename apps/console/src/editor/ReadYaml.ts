import { CORE_SCHEMA, load, loadAll, mergeTag } from "js-yaml"
import { t } from "../language/Text.tsx"
import { revisionProblem } from "./Merging.ts"

/** The definition in a text, or what is wrong with the text. */
export type ReadDefinition<D> = { readonly definition: D } | { readonly problem: string }

/** As the server reads it. */
const schema = CORE_SCHEMA.withTags(mergeTag)

/** Reads one definition from YAML, without its revision. `identity` has what cannot be changed. */
export const readDefinition = <D extends object>(
  text: string,
  identity: {
    readonly kind: string
    readonly project?: string | undefined
    readonly name?: string | undefined
    readonly revision: string
  },
): ReadDefinition<D> => {
  let value: unknown
  try {
    value = load(text, { schema })
  } catch (error) {
    return { problem: problemOf(error) }
  }
  const { revision, ...document } = objectOf(value)
  const { kind, metadata, spec } = document
  const { project, name } = objectOf(metadata)
  if (kind !== identity.kind) return { problem: t("The kind must be {kind}.", { kind: identity.kind }) }
  if (identity.name !== undefined && (name !== identity.name || project !== identity.project)) {
    return {
      problem:
        identity.project === undefined
          ? t("The name {name} cannot be changed.", { name: identity.name })
          : t("The name {name} and the project {project} cannot be changed.", {
              name: identity.name,
              project: identity.project,
            }),
    }
  }
  const wrongRevision = identity.name === undefined ? undefined : revisionProblem(revision, identity.revision)
  if (wrongRevision !== undefined) return { problem: wrongRevision }
  if (typeof metadata !== "object" || metadata === null) return { problem: t("The metadata is missing.") }
  if (typeof (spec ?? {}) !== "object") return { problem: t("The spec must be a map.") }
  return { definition: { ...document, spec: spec ?? {} } as D }
}

/** The definitions in a text of several documents and lists, which the server has accepted. */
export const readDefinitions = <D extends object>(text: string): ReadonlyArray<D> =>
  loadAll(text, { schema })
    .flat()
    .filter((document) => typeof document === "object" && document !== null) as Array<D>

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

const problemOf = (error: unknown): string => {
  const { reason, mark } = error as { readonly reason?: string; readonly mark?: { readonly line: number } }
  if (reason === undefined) return String(error)
  return mark === undefined
    ? t("The YAML is invalid: {reason}.", { reason })
    : t("Line {line}: {reason}.", { line: mark.line + 1, reason })
}
