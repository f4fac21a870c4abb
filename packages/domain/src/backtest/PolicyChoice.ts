import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { alertPolicy } from "../alert-policy/AlertPolicy.ts"
import { described, type TypeOf } from "../codec/Codec.ts"
import { eitherOf, object, optional } from "../codec/Containers.ts"
import type { IssueList } from "../codec/Issue.ts"
import { proposedDefinition } from "../definition/DecodeDefinition.ts"
import { DefinitionStore, type StoredDefinition } from "../definition/DefinitionStore.ts"
import { referenceHint } from "../definition/ReferenceHints.ts"
import { objectName } from "../metadata/Metadata.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"

/** The policy that is evaluated: one of them. */
export const policyFields = {
  alertPolicy: optional(described(objectName, "Name of an alert policy of the SLO's project")),
  definition: optional(
    described(proposedDefinition("AlertPolicy", alertPolicy), "An alert policy, which need not be stored"),
  ),
}

export const policyChoice = object(policyFields, { rules: eitherOf("alertPolicy", "definition") })

/** An alert policy of a request, at whose name `path` is; `undefined`: it does not exist, which is an issue. */
export const findPolicy = Effect.fnUntraced(function* (
  organization: OrganizationId,
  project: string,
  { alertPolicy: name = "", definition }: TypeOf<typeof policyChoice>,
  path: string,
  issues: IssueList,
) {
  if (definition !== undefined) return notStored(definition)
  const found = yield* (yield* DefinitionStore).find(organization, "AlertPolicy", { project, name })
  if (Option.isSome(found)) return found.value
  const hint = yield* referenceHint(organization, { kind: "AlertPolicy", project, name }, [])
  const message = `references an alert policy that does not exist: ${name} in project ${project}${hint}`
  return issues.add(path, "not_found", message)
})

/** A definition that was never stored, as those that are. */
export const notStored = <A extends StoredDefinition["definition"]>(definition: A): StoredDefinition<A> => ({
  definition,
  version: "",
  createdAt: 0,
  updatedAt: 0,
})
