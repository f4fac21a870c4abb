import type { DefinitionDocument } from "@tocsin/api"
import type { MergeConflict } from "@tocsin/domain/forms"
import { useState } from "react"
import { mergedState } from "../components/MergedNotice.tsx"
import { type Conflict, conflictsId } from "./Conflicts.tsx"
import { focusFirst } from "./Focus.ts"
import { type Choices, mergeStored, saveMerging, type Stored, storedOf } from "./Merging.ts"

/** What became of a definition that was to be saved; `state` is the state of the entry of the history that shows it. */
type Saved =
  | { readonly isSaved: true; readonly state: ReturnType<typeof mergedState> }
  | { readonly isSaved: false; readonly isTaken: boolean }

/** Merges what is entered in a form with what others have stored since it was opened with `given`. */
export const useMerge = <D extends DefinitionDocument>(given: D | undefined) => {
  const [opened] = useState(() => storedOf(given))
  /** What is stored, as far as it is known. */
  const [latest, setLatest] = useState(opened)
  const [choices, setChoices] = useState<Choices>({})
  const [taken, setTaken] = useState<ReadonlyArray<string>>([])
  const mergedOf = (base: Stored<D>, mine: D) => mergeStored(base, mine, latest, choices)
  const isBehind = (base: Stored<D>): boolean => base.revision !== latest.revision
  return {
    edited: opened.definition,
    latest,
    mergedOf,
    isBehind,
    /** What someone has to know or choose before it is saved. */
    conflictOf: (base: Stored<D>, values: ReadonlyArray<MergeConflict>): Conflict | undefined =>
      values.length > 0 || (isBehind(base) && latest.definition === undefined)
        ? { values, choices, choose: (path, side) => setChoices({ ...choices, [path]: side }) }
        : undefined,
    forget: (): void => {
      setChoices({})
      setTaken([])
    },
    /**
     * Saves `mine`, which was made of `base`, with the other definitions of `sent`. `onMerged` gets each merge before it is saved.
     * Focuses the conflicts if someone has to choose first; `isTaken`: a new definition has the name of another one.
     */
    save: async (
      base: Stored<D>,
      mine: D,
      sent: ReadonlyArray<DefinitionDocument>,
      onMerged: (definition: D, base: Stored<D>) => void,
    ): Promise<Saved> => {
      const paths = [...taken]
      const merged = mergedOf(base, mine)
      const isOpen = merged?.conflicts.some(({ path }) => choices[path] === undefined) === true
      const show = (definition: D, now: Stored<D>, others: ReadonlyArray<string>): void => {
        paths.push(...others)
        setTaken([...paths])
        setLatest(now)
        setChoices({})
        onMerged(definition, now)
      }
      if (merged !== undefined && !isOpen) show(merged.document, latest, merged.taken)
      const definition = merged?.document ?? mine
      const instead = isOpen
        ? latest
        : await saveMerging(
            latest,
            definition,
            sent.map((each) => (each === mine ? definition : each)),
            show,
          )
      if (instead === undefined) return { isSaved: true, state: mergedState(paths) }
      if (opened.definition === undefined) return { isSaved: false, isTaken: true }
      setLatest(instead)
      // What was chosen was another conflict.
      if (!isOpen) setChoices({})
      focusFirst(() => [conflictsId])
      return { isSaved: false, isTaken: false }
    },
  }
}
