import type { Issue } from "../codec/Issue.ts"
import { unstoredRevision } from "../metadata/Envelope.ts"
import { isDefaultProject } from "../slo/Project.ts"
import type { ExpectedRevision, RevisionConflict } from "./DefinitionErrors.ts"
import { latestRevisionPart } from "./DefinitionHistory.ts"
import type { DefinitionsRead, StoredDefinition } from "./DefinitionStore.ts"
import type { DefinitionKey } from "./Kinds.ts"

/** The issue of a request of several objects that expects a revision. */
export const onlyOneExpected = (path: string): Issue => ({
  path,
  code: "not_allowed_value",
  message: "must be one definition, because the request expects a revision of it",
})

/** The definitions whose stored revision is not `expected`, or not the revision that their own document expects. */
export const revisionConflicts = (
  named: ReadonlyArray<{
    readonly path: string
    readonly key: DefinitionKey
    readonly revision?: string | undefined
  }>,
  found: DefinitionsRead,
  expected: ExpectedRevision | undefined,
): ReadonlyArray<RevisionConflict> =>
  named.flatMap(({ path, key, revision }) => {
    const current = found.find(key)
    const conditions = [
      ...(expected === undefined ? [] : [expected]),
      ...(revision === undefined ? [] : [[revision]]),
    ]
    const failed = conditions.find((condition) => !isExpected(key, current, condition, found))
    return failed === undefined ? [] : [{ path, key, expected: failed, current }]
  })

const isExpected = (
  key: DefinitionKey,
  current: StoredDefinition | undefined,
  expected: ExpectedRevision,
  found: DefinitionsRead,
): boolean => {
  // The project `default` exists also while it is not stored.
  if (typeof expected === "string")
    return (current !== undefined || isDefaultProject(key)) === (expected === "any")
  if (expected.includes(current?.version ?? unstoredRevision)) return true
  if (current === undefined) return false
  // What the service has written itself since, such as the groups of an SLO, is no change: the history does not have it.
  const latest = found.ask(latestRevisionPart, key) ?? Infinity
  return expected.some((revision) => latest <= Number(revision) && Number(revision) < Number(current.version))
}
