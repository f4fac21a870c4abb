import { described, type TypeOf } from "../codec/Codec.ts"
import { hasNoEntries, list, object, optional } from "../codec/Containers.ts"
import { propertyPath } from "../codec/Issue.ts"
import { literals, string } from "../codec/Leaves.ts"
import { definitionOf } from "../metadata/Envelope.ts"
import type { KindDescription } from "../metadata/KindDescription.ts"
import { displayName, isLabelKey, labels, objectName, projectKey } from "../metadata/Metadata.ts"
import { displayNameMaxCharacters, labelKeyMaxCharacters } from "../metadata/MetadataLimits.ts"
import { projectKeyText } from "../metadata/ObjectKey.ts"
import { objectiveStates } from "./ObjectiveState.ts"
import { type ReliabilityColumn, reliabilityColumns, sloSortKeys } from "./SloListColumns.ts"

/** Maximum number of projects, and of services, of a view. */
const selectedMax = 200

/** Maximum number of label keys of a view, and of values of each. */
const labelKeysMax = 20
const labelValuesMax = 50

const itself = (entry: string): string => entry

const labelPrefix = "label:"

/** Which SLOs a view lists. What is absent lets all through. */
export const viewFilters = {
  search: optional(
    described(
      string({ max: displayNameMaxCharacters }),
      "Part of the name or display name of the SLOs, in any letter case. Default: any",
    ),
  ),
  projects: optional(
    described(
      list(objectName, { max: selectedMax, distinct: { by: itself } }),
      "Projects of the SLOs. Default: all",
    ),
    { isEmpty: hasNoEntries },
  ),
  services: optional(
    described(
      list(projectKey(objectName), { max: selectedMax, distinct: { by: projectKeyText } }),
      "Services of the SLOs. Default: all",
    ),
    { isEmpty: hasNoEntries },
  ),
  labels: optional(
    described(
      labels,
      "Labels that the SLOs have: all of the keys, each with one of its values. Default: any",
    ),
    { isEmpty: (each) => Object.keys(each).length === 0 },
  ),
  statuses: optional(
    described(
      list(literals(objectiveStates), { distinct: { by: itself } }),
      "Statuses of the SLOs; an SLO has that of its most urgent objective. Default: all",
    ),
    { isEmpty: hasNoEntries },
  ),
}

const savedView = definitionOf("SavedView", {
  identifier: "SavedViewDefinition",
  metadata: object({ name: objectName, displayName: optional(displayName) }),
  spec: object(
    {
      ...viewFilters,
      groupBy: optional(
        described(
          string({ max: labelPrefix.length + labelKeyMaxCharacters }),
          "project, service, or label: with the key of a label, as in label:team. Default: no groups",
        ),
      ),
      sortBy: optional(
        described(
          literals(sloSortKeys.flatMap((key) => [key, `-${key}` as const])),
          "What the list is sorted by, descending after a hyphen. Default: the most urgent SLOs first",
        ),
      ),
      columns: optional(
        described(
          list(literals(Object.keys(reliabilityColumns) as ReadonlyArray<ReliabilityColumn>), {
            distinct: { by: itself },
          }),
          "Columns with the reliability over the past 7, 30 and 90 days. Default: none",
        ),
        { isEmpty: hasNoEntries },
      ),
    },
    {
      rules: ({ value: { labels: wanted = {}, groupBy }, at, issues }) => {
        const entries = Object.entries(wanted)
        if (entries.length > labelKeysMax)
          issues.add(at("labels"), "too_many", `must have at most ${labelKeysMax} keys`)
        for (const [key, values] of entries.slice(0, labelKeysMax)) {
          const path = propertyPath(at("labels"), key)
          if (values.length === 0) issues.add(path, "required", "must have at least one value")
          if (values.length > labelValuesMax)
            issues.add(path, "too_many", `must have at most ${labelValuesMax} values`)
        }
        if (groupBy !== undefined && !isGrouping(groupBy)) {
          const message = "must be project, service, or label: with the key of a label, as in label:team"
          issues.add(at("groupBy"), "invalid_format", message)
        }
      },
    },
  ),
})

const isGrouping = (text: string): boolean =>
  text === "project" ||
  text === "service" ||
  (text.startsWith(labelPrefix) && isLabelKey(text.slice(labelPrefix.length)))

/** A view of the list of SLOs that the organization shares. */
export type SavedView = TypeOf<typeof savedView>

/** What a view selects need not exist, so it refers to nothing. */
export const savedViewKind = {
  kind: "SavedView",
  shortName: "view",
  words: "a saved view",
  home: "organization",
  codec: savedView,
  name: objectName,
} as const satisfies KindDescription<SavedView>
