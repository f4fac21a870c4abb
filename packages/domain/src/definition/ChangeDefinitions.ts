import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { Quotas } from "../quota/Quotas.ts"
import { type ReadForm, readFormOf } from "./Definition.ts"
import { type DefinitionChange, type DefinitionsRead, DefinitionStore } from "./DefinitionStore.ts"
import { revisionsOf } from "./RevisionsOf.ts"
import type { Definition, DefinitionKey } from "./Kinds.ts"

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
  })
