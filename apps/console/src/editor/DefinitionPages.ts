import type { DefinitionDocument } from "@tocsin/api"

type Definition = DefinitionDocument

/** Where the pages of each kind are that has some. */
const folders: { readonly [K in Definition["kind"]]?: string } = {
  SLO: "/slos",
  Service: "/services",
  Project: "/projects",
  AlertPolicy: "/alert-policies",
  AlertMethod: "/alert-methods",
  AlertSilence: "/silences",
  BudgetAdjustment: "/budget-adjustments",
  DataSource: "/data-sources",
}

/** The page of a definition, if its kind has pages. */
export const pageOf = ({ kind, metadata }: Definition): string | undefined => {
  const folder = folders[kind]
  if (folder === undefined) return undefined
  const { project = "default", name } = metadata as { readonly project?: string; readonly name: string }
  return kind === "Project" ? `${folder}/${name}` : `${folder}/${project}/${name}`
}
