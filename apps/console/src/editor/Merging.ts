import { mergeDocuments } from "@tocsin/domain/forms"
import type { DefinitionDocument } from "@tocsin/api"
import { ApiError, bodyOf, client, rejection } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { listText, t } from "../language/Text.tsx"

/** A definition as it is stored; `undefined` if it does not exist. */
export interface Stored<D> {
  readonly definition: D | undefined
  readonly revision: string
}

/** The revision of what does not exist. */
const unstored = "0"

/** What the API returned with its revision; `undefined` for what does not exist. */
export const storedOf = <D extends object>(document: D | undefined): Stored<D> => {
  if (document === undefined) return { definition: undefined, revision: unstored }
  const { revision = unstored, ...definition } = document as D & { readonly revision?: string }
  return { definition: definition as object as D, revision }
}

/** Reads a definition with its revision. */
export const readStored = async <D extends object>(
  kind: string,
  { project, name }: DefinitionKey,
): Promise<Stored<D>> => {
  const found = await bodyOf(
    client.GET("/api/get/{kind}", {
      params: { path: { kind }, header: { project }, query: { name: [name], revisions: "true" } },
    }),
  )
  return storedOf((found as unknown as ReadonlyArray<D>)[0])
}

/** The side that someone has chosen for each conflict, by its path. */
export type Choices = Readonly<Record<string, "mine" | "theirs">>

/** The changes from `base` to `mine` in what is stored now; `undefined` where nothing is left to merge with. */
export const mergeStored = <D>(base: Stored<D>, mine: D, now: Stored<D>, choices: Choices = {}) =>
  base.revision === now.revision || base.definition === undefined || now.definition === undefined
    ? undefined
    : mergeDocuments(base.definition, mine, now.definition, ({ path }) => choices[path] ?? "mine")

/** How often a definition is merged that others change again and again. */
const attemptsMax = 5

/** What is wrong with the revision in the YAML of a definition that was edited at another one. */
export const revisionProblem = (given: unknown, edited: string): string | undefined =>
  given === undefined || String(given) === edited
    ? undefined
    : t(
        "The YAML has revision {given}, but you are editing revision {edited}. Remove the revision from the YAML to replace the stored definition.",
        { given: String(given), edited },
      )

/** A definition that is applied only if it does not exist. */
export const asNew = (definition: DefinitionDocument): DefinitionDocument => ({
  ...definition,
  revision: unstored,
})

/** Applies definitions; fails with those that someone else has created or changed in the meantime. */
export const applyTogether = async (sent: ReadonlyArray<DefinitionDocument>) => {
  try {
    return await put(sent)
  } catch (error) {
    throw explained(error, sent)
  }
}

const put = (body: ReadonlyArray<DefinitionDocument>) => bodyOf(client.PUT("/api/apply", { body: [...body] }))

/**
 * Saves `mine`, which was made of `base`, with the other definitions of `sent`. If someone else has changed other values in the
 * meantime, both changes are saved, and `onMerged` gets them before. If both have changed the same values, or the definition was
 * deleted, nothing is saved, and the result is what is stored instead.
 */
export const saveMerging = async <D extends DefinitionDocument>(
  base: Stored<D>,
  mine: D,
  sent: ReadonlyArray<DefinitionDocument> = [mine],
  onMerged: (definition: D, base: Stored<D>, taken: ReadonlyArray<string>) => void = () => {},
): Promise<Stored<D> | undefined> => {
  let from = base
  let definition: D = mine
  const own = sent.indexOf(mine)
  for (let attempt = 1; ; attempt++) {
    try {
      await put(sent.with(own, { ...definition, revision: from.revision }))
      return undefined
    } catch (error) {
      const now = storedInstead<D>(error, own, sent)
      if (now === undefined || attempt === attemptsMax) throw explained(error, sent)
      const merged = mergeStored<D>(from, definition, now)
      if (merged === undefined || merged.conflicts.length > 0) return now
      from = now
      definition = merged.document
      onMerged(merged.document, now, merged.taken)
    }
  }
}

/** As `saveMerging`, without a dialog: fails if others have changed the same values. */
export const saveAlone = async <D extends DefinitionDocument>(base: Stored<D>, mine: D): Promise<void> => {
  const instead = await saveMerging(base, mine)
  if (instead !== undefined) throw rejection(t("Someone else has changed it at the same time. Try again."))
}

/** The documents of a request that others have changed, each with its error. */
const mismatches = (error: unknown, sent: ReadonlyArray<DefinitionDocument>) =>
  error instanceof ApiError && error.status === 412
    ? sent.flatMap((document, at) => {
        const path = sent.length === 1 ? "revision" : `[${at}].revision`
        const found = error.errors.find(({ source }) => source?.propertyName === path)
        return found === undefined ? [] : [{ at, document, current: found.current }]
      })
    : []

/** What is stored instead of the document at `own`; `undefined` if that is not the only thing that is wrong. */
const storedInstead = <D extends object>(
  error: unknown,
  own: number,
  sent: ReadonlyArray<DefinitionDocument>,
): Stored<D> | undefined => {
  const [first, ...others] = mismatches(error, sent)
  return first?.at === own && others.length === 0 ? storedOf(first.current as D | undefined) : undefined
}

/** Names the definitions that must be new, or otherwise those that must be as they were, if someone else has been faster. */
const explained = (error: unknown, sent: ReadonlyArray<DefinitionDocument>): unknown => {
  const all = mismatches(error, sent)
  const created = all.filter(({ document }) => document.revision === unstored)
  const named = created.length > 0 ? created : all
  if (named.length === 0) return error
  const names = listText(named.map(({ document: { kind, metadata } }) => `${kind} ${metadata.name}`))
  const detail =
    created.length > 0
      ? t(
          "These definitions already exist: {names}. Nothing is saved yet. Check the definitions and try again.",
          { names },
        )
      : t(
          "Someone else has changed these definitions: {names}. Nothing is saved yet. Check the definitions and try again.",
          { names },
        )
  return new ApiError(412, [{ title: detail, detail }])
}
