import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { definitionKeyText, type OrganizationId } from "../metadata/ObjectKey.ts"
import { Quotas } from "../quota/Quotas.ts"
import { sloKind } from "../slo/SloKind.ts"
import { definitionsWereChanged } from "./DefinitionListeners.ts"
import { definitionKey, type ReadForm, readFormOf, readFormsAreEqual } from "./Definition.ts"
import { type DefinitionChange, type DefinitionsRead, DefinitionStore } from "./DefinitionStore.ts"
import type { Definition, DefinitionKey } from "./Kinds.ts"
import type { NewRevision } from "./Revision.ts"

/**
 * Changes definitions like `DefinitionStore.change`, and keeps a revision of each; `author` is the client ID of the credential. `decide`
 * gets a function that makes the form of each definition once.
 */
export const changeDefinitions = <C extends DefinitionChange, E>(
  organization: OrganizationId,
  reads: ReadonlyArray<DefinitionKey>,
  author: string | undefined,
  decide: (found: DefinitionsRead, formOf: (definition: Definition) => ReadForm) => Result.Result<C, E>,
) =>
  Effect.gen(function* () {
    const { historyBytes: maxBytes } = yield* Quotas
    return yield* (yield* DefinitionStore).change(organization, reads, (found) => {
      const forms = new Map<Definition, ReadForm>()
      const formOf = (definition: Definition): ReadForm => {
        const known = forms.get(definition) ?? readFormOf(definition)
        forms.set(definition, known)
        return known
      }
      return Result.map(decide(found, formOf), (change) => ({
        ...change,
        history: {
          ...(author !== undefined && { author }),
          revisions: () => revisionsOf(change, found, formOf),
          maxBytes,
        },
      }))
    })
  }).pipe(Effect.tap(() => definitionsWereChanged(organization)))

/** The revisions of the definitions that a change really changes. */
const revisionsOf = (
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
