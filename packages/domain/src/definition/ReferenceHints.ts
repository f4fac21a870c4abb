import * as Effect from "effect/Effect"
import { joinPaths } from "../codec/Issue.ts"
import { nearestName } from "../codec/NearestName.ts"
import type { OrganizationId } from "../metadata/ObjectKey.ts"
import { pageSizeMax } from "../pagination/Page.ts"
import { defaultProjectName } from "../slo/Project.ts"
import type { DecodedDefinition } from "./DecodeDefinition.ts"
import { definitionKey } from "./Definition.ts"
import { DefinitionsAreInvalid } from "./DefinitionErrors.ts"
import { DefinitionStore } from "./DefinitionStore.ts"
import { type DefinitionKey, isOrganizationKind } from "./Kinds.ts"
import { referencesOf } from "./References.ts"

/** Most references of one request that get a hint: each reads a list. */
const hintedReferencesMax = 5

/** Most names of objects that a hint lists. */
const listedNamesMax = 5

/** Fails with the same issues; the message of each of the first references to objects that do not exist says how to fix it. */
export const withReferenceHints = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { issues }: DefinitionsAreInvalid,
  drafts: ReadonlyArray<Pick<DecodedDefinition, "path" | "draft">>,
) {
  const references = new Map(
    drafts.flatMap(({ path, draft }) =>
      referencesOf(draft).map((reference) => [joinPaths(path, reference.path), reference.key] as const),
    ),
  )
  const missing = issues
    .flatMap((issue) => {
      const key = issue.code === "not_found" ? references.get(issue.path) : undefined
      return key === undefined ? [] : [{ issue, key }]
    })
    .slice(0, hintedReferencesMax)
  const hints = new Map<unknown, string>()
  const listed = drafts.map(({ draft }) => definitionKey(draft))
  for (const { issue, key } of missing) hints.set(issue, yield* referenceHint(organization, key, listed))
  return yield* new DefinitionsAreInvalid({
    issues: issues.map((issue) => ({ ...issue, message: `${issue.message}${hints.get(issue) ?? ""}` })),
  })
})

/** How to fix a reference to an object that does not exist, as the end of a message; `listed` are further names that it can mean. */
export const referenceHint = Effect.fnUntraced(function* (
  organization: OrganizationId,
  { kind, project, name }: DefinitionKey,
  listed: ReadonlyArray<DefinitionKey>,
) {
  const store = yield* DefinitionStore
  const isOfOrganization = isOrganizationKind(kind)
  const inProject = yield* store.list(
    organization,
    { kind, ...(!isOfOrganization && { project }) },
    { limit: pageSizeMax },
  )
  const given = listed.filter((key) => key.kind === kind && key.project === project)
  const names = [
    ...[...given, ...inProject.items.map(({ definition }) => definition.metadata)].map((each) => each.name),
    ...(kind === "Project" ? [defaultProjectName] : []),
  ]
  const nearest = nearestName(name, names)
  if (nearest !== undefined) return `; did you mean ${nearest}?`
  const [elsewhere] = isOfOrganization
    ? []
    : (yield* store.list(organization, { kind, names: [name] }, { limit: 1 })).items
  if (elsewhere !== undefined)
    return `; project ${definitionKey(elsewhere.definition).project} has one of this name`
  const apply = "; apply its definition first, or in the same request"
  const known = [...new Set(names)]
  return kind === "Project" || known.length === 0 || known.length > listedNamesMax
    ? apply
    : `${apply}, or use one that exists: ${known.join(", ")}`
})
