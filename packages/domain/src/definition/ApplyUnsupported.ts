import { entryPath, IssueList, joinPaths, propertyPath } from "../codec/Issue.ts"
import { checkVersion, type DecodeOptions } from "./DecodeDefinition.ts"
import type { AppliedDocument, Participant } from "./Participant.ts"
import { definitionKeyText } from "../metadata/ObjectKey.ts"
import {
  isUnsupported,
  readUnsupported,
  type UnsupportedDocument,
  whyUnsupported,
} from "./UnsupportedDocument.ts"
import type { DefinitionKey } from "./Kinds.ts"
import { isDefaultProject, keyOfProject } from "../slo/Project.ts"

/** The documents of a request that are stored without effect. */
export const unsupportedOf = (
  inputs: ReadonlyArray<unknown>,
  options: Pick<DecodeOptions, "vendorPrefix" | "defaultProject">,
): Participant => {
  const unreadable = new IssueList()
  const names = new Set<string>()
  const documents = inputs.flatMap((input, index) => {
    if (!isUnsupported(input)) return []
    const path = inputs.length > 1 ? entryPath("", index) : ""
    checkVersion(input, path, unreadable, options.vendorPrefix)
    const document = readUnsupported(input, path, unreadable, options)
    if (document === undefined) return []
    const text = definitionKeyText(document)
    if (names.has(text)) {
      const message = `is duplicated: an earlier document of this request describes the same ${document.kind}`
      unreadable.add(joinPaths(path, "metadata.name"), "duplicate", message)
    }
    names.add(text)
    return [{ document, index, path, why: whyUnsupported(input) }]
  })
  const definitionKeyOf = ({ kind, project, name }: UnsupportedDocument): ReadonlyArray<DefinitionKey> =>
    kind === "AlertMethod" ? [{ kind, project, name }] : []
  return {
    takes: isUnsupported,
    names,
    reads: documents.flatMap(({ document }) => [
      ...definitionKeyOf(document),
      ...(document.project === "" ? [] : [keyOfProject(document.project)]),
    ]),
    decide: (found, after) => {
      const issues = new IssueList()
      issues.addAll("", unreadable.sorted())
      const put: Array<UnsupportedDocument> = []
      let created = 0
      const applied = documents.map(({ document, index, path, why }): AppliedDocument => {
        const { kind, project, name } = document
        if (definitionKeyOf(document).some((key) => after(key) !== undefined)) {
          const message = `is the name of a webhook of project ${project}; delete it first, or choose another name`
          issues.add(joinPaths(path, "metadata.name"), "duplicate", message)
        }
        if (
          project !== "" &&
          !isDefaultProject(keyOfProject(project)) &&
          after(keyOfProject(project)) === undefined
        ) {
          const message = `names a project that does not exist: ${project}`
          issues.add(joinPaths(path, "metadata.project"), "not_found", message)
        }
        const before = found.unsupported(document)
        const outcome =
          before === undefined ? "created" : before.text === document.text ? "unchanged" : "updated"
        if (outcome === "created") created++
        if (outcome !== "unchanged") put.push(document)
        const warning = {
          path: propertyPath("", kind === "AlertMethod" ? "spec" : "kind"),
          code: "unsupported" as const,
          message: `is stored, but has no effect. ${why}`,
        }
        return { index, key: { kind, project, name }, outcome, warnings: [warning] }
      })
      return { issues: issues.sorted(), unsupported: { put, remove: [] }, created, applied }
    },
  }
}
