import type { DefinitionDocument } from "@tocsin/api"
import { labelsOf, labelText } from "../editor/Labels.ts"
import type { SloRowFilter } from "./SloRows.ts"

/** What the address says of the list, in the order in which a saved view keeps it. */
export const viewParameters = [
  "search",
  "project",
  "service",
  "label",
  "state",
  "group",
  "sort",
  "columns",
] as const

/** The parameters of the address, and of the query of a view. */
export type ViewValues = Readonly<Record<(typeof viewParameters)[number], string>>

/** The query of the address that the same view always has. */
export const viewQuery = (values: ViewValues): string =>
  new URLSearchParams(
    viewParameters.flatMap((name) => (values[name] === "" ? [] : [[name, values[name]]])),
  ).toString()

type ViewSpec = DefinitionDocument<"SavedView">["spec"]

/** The view of a query; the server rejects values that a view cannot have. */
export const viewSpec = (values: ViewValues, { projects, services, states }: SloRowFilter) =>
  ({
    search: values.search,
    projects,
    services: services.map((each) => ({
      project: ownerOf(each),
      name: each.slice(ownerOf(each).length + 1),
    })),
    labels: labelsOf(values.label),
    statuses: states,
    groupBy: values.group,
    sortBy: values.sort,
    columns: listOf(values.columns),
  }) as ViewSpec

const ownerOf = (service: string): string => service.slice(0, service.indexOf("/"))

/** The query of a view: that of `viewQuery`, if the view is `viewSpec` of its values. */
export const queryOfView = (spec: ViewSpec): string =>
  viewQuery({
    search: spec.search ?? "",
    project: spec.projects?.join(",") ?? "",
    service: spec.services?.map(({ project, name }) => `${project}/${name}`).join(",") ?? "",
    label: Object.entries(spec.labels ?? {})
      .flatMap(([key, values]) => values.map((value) => labelText(`${key}=${value}`)))
      .join(","),
    state: spec.statuses?.join(",") ?? "",
    group: spec.groupBy ?? "",
    sort: spec.sortBy ?? "",
    columns: spec.columns?.join(",") ?? "",
  })

/** The values of a comma-separated parameter. */
export const listOf = (text: string): ReadonlyArray<string> => text.split(",").filter((each) => each !== "")
