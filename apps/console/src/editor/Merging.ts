import { mergeDocuments } from "@tocsin/domain/forms"
import type { DefinitionDocument } from "@tocsin/api"
import { ApiError, bodyOf, client, rejection } from "../api/Client.ts"
import type { DefinitionKey } from "../api/Definitions.ts"
import { t } from "../language/Text.tsx"

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

/**
 * Saves `mine`, which was made of `base`. If someone else has changed other values in the meantime, both changes are saved, and
 * `onMerged` gets them before. If both have changed the same values, or the definition was deleted, nothing is saved, and the
 * result is what is stored instead.
 */
export const saveMerging = async <D extends object>(
  base: Stored<D>,
  mine: D,
  save: (definition: D & { readonly revision: string }) => Promise<unknown>,
  onMerged: (definition: D, base: Stored<D>, taken: ReadonlyArray<string>) => void = () => {},
): Promise<Stored<D> | undefined> => {
  let [from, definition] = [base, mine]
  for (let attempt = 1; ; attempt++) {
    try {
      await save({ ...definition, revision: from.revision })
      return undefined
    } catch (error) {
      const now = storedInstead<D>(error)
      if (now === undefined || attempt === attemptsMax) throw error
      const merged = mergeStored(from, definition, now)
      if (merged === undefined || merged.conflicts.length > 0) return now
      ;[from, definition] = [now, merged.document]
      onMerged(definition, now, merged.taken)
    }
  }
}

/** As `saveMerging`, where nobody is asked: fails if others have changed the same values. */
export const saveAlone = async <D extends DefinitionDocument>(base: Stored<D>, mine: D): Promise<void> => {
  const instead = await saveMerging(base, mine, (body) => client.PUT("/api/apply", { body }))
  if (instead !== undefined) throw rejection(t("Someone else has changed it at the same time. Try again."))
}

/** What is stored instead of what a request expected; `undefined` for other errors. */
const storedInstead = <D extends object>(error: unknown): Stored<D> | undefined =>
  error instanceof ApiError && error.status === 412
    ? storedOf(error.errors.find(({ code }) => code === "revision_mismatch")?.current as D | undefined)
    : undefined
