import { definitionKeyText } from "../metadata/ObjectKey.ts"
import { sloKind } from "../slo/SloKind.ts"
import { definitionKey, type ReadForm, readFormsAreEqual } from "./Definition.ts"
import type { DefinitionChange, DefinitionsRead } from "./DefinitionStore.ts"
import type { NewRevision } from "./Revision.ts"
import type { Definition } from "./Kinds.ts"

/** The revisions of the definitions that a change really changes. */
export const revisionsOf = (
  { put, remove, moves = [] }: DefinitionChange,
  { find }: Pick<DefinitionsRead, "find">,
  formOf: (definition: Definition) => ReadForm,
): ReadonlyArray<NewRevision> => {
  const formerKeys = new Map(
    moves.map(({ name, from, to }) => [
      definitionKeyText({ kind: sloKind.kind, project: to, name }),
      { kind: sloKind.kind, project: from, name },
    ]),
  )
  const written = put.flatMap(({ definition: after }): ReadonlyArray<NewRevision> => {
    const key = definitionKey(after)
    const formerKey = formerKeys.get(definitionKeyText(key))
    const before = find(formerKey ?? key)?.definition
    const form = formOf(after)
    const revision = { key, text: form.text, bytes: bytesOf(form.text) }
    if (before === undefined) return [{ ...revision, outcome: "created", changesSecrets: false }]
    const former = formOf(before)
    const changesSecrets = former.secrets !== form.secrets
    if (formerKey !== undefined)
      return [{ ...revision, outcome: "moved", changesSecrets, movedFrom: formerKey.project }]
    return readFormsAreEqual(former, form) ? [] : [{ ...revision, outcome: "updated", changesSecrets }]
  })
  const deleted = remove.flatMap((key): ReadonlyArray<NewRevision> => {
    const before = find(key)?.definition
    if (before === undefined) return []
    const { text } = formOf(before)
    return [{ key, text, bytes: bytesOf(text), outcome: "deleted", changesSecrets: false }]
  })
  return [...written, ...deleted]
}

/** Those of the text, and about those of the columns beside it. */
const bytesOf = (text: string): number => new TextEncoder().encode(text).length + 200
