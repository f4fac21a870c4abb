import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { IssueList, joinPaths } from "../codec/Issue.ts"
import { DefinitionStore } from "../definition/DefinitionStore.ts"
import type { Participant } from "../definition/Participant.ts"
import { projectKind } from "../slo/Project.ts"

/** Rejects the slug of another status page: a slug leads to one page; of two projects that take it at once, the earlier one has it. */
export const statusPages = Effect.map(DefinitionStore, ({ findStatusPage }): Participant => ({
  name: "status pages",
  apply: {
    share: Effect.fnUntraced(function* ({ organization, drafts }) {
      const issues = new IssueList()
      const earlier = new Set<string>()
      for (const { path, draft } of drafts) {
        if (draft.kind !== projectKind.kind || draft.spec.statusPage === undefined) continue
        const { slug } = draft.spec.statusPage
        const found = Option.getOrUndefined(yield* findStatusPage(slug))
        const isOwn =
          found === undefined ||
          (found.organization === organization && found.project === draft.metadata.name)
        if (!isOwn || earlier.has(slug)) {
          const message = "is the slug of another status page of this server; choose another one"
          issues.add(joinPaths(path, "spec.statusPage.slug"), "duplicate", message)
        } else earlier.add(slug)
      }
      return issues.isEmpty ? undefined : { issues: issues.sorted() }
    }),
  },
}))
