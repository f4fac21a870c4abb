import type { DefinitionKey } from "../api/Definitions.ts"
import type { Crumb } from "../components/Page.tsx"
import { t } from "../language/Text.tsx"

/** The pages of the definitions of a kind, and what they say. */
export interface KindPages {
  /** Where they are, such as `/silences`. */
  readonly folder: string
  readonly list: Crumb
  readonly create: string
  readonly edit: string
  readonly remove: string
  readonly missing: (key: Partial<DefinitionKey>) => string
}

/** The kinds with a page for each definition and a form of one page, by their names in paths of the API. */
export type PagedKind =
  | "services"
  | "projects"
  | "alertpolicies"
  | "alertmethods"
  | "alertsilences"
  | "datasources"
  | "budgetadjustments"

export const kindPages = (kind: PagedKind): KindPages => {
  switch (kind) {
    case "services":
      return {
        folder: "/services",
        list: { href: "/services", text: t("Services") },
        create: t("Create service"),
        edit: t("Edit service"),
        remove: t("Delete service"),
        missing: (key) => t("Service {name} was not found in project {project}.", key),
      }
    case "projects":
      return {
        folder: "/projects",
        list: { href: "/services?tab=projects", text: t("Projects") },
        create: t("Create project"),
        edit: t("Edit project"),
        remove: t("Delete project"),
        missing: ({ name }) => t("Project {name} was not found.", { name }),
      }
    case "alertpolicies":
      return {
        folder: "/alert-policies",
        list: { href: "/alert-policies", text: t("Alert policies") },
        create: t("Create alert policy"),
        edit: t("Edit alert policy"),
        remove: t("Delete alert policy"),
        missing: (key) => t("Alert policy {name} was not found in project {project}.", key),
      }
    case "alertmethods":
      return {
        folder: "/alert-methods",
        list: { href: "/alert-methods", text: t("Alert methods") },
        create: t("Create alert method"),
        edit: t("Edit method"),
        remove: t("Delete method"),
        missing: (key) => t("Alert method {name} was not found in project {project}.", key),
      }
    case "alertsilences":
      return {
        folder: "/silences",
        list: { href: "/silences", text: t("Silences") },
        create: t("Create silence"),
        edit: t("Edit silence"),
        remove: t("Delete silence"),
        missing: (key) => t("Silence {name} was not found in project {project}.", key),
      }
    case "datasources":
      return {
        folder: "/data-sources",
        list: { href: "/data-sources", text: t("Data sources") },
        create: t("Create data source"),
        edit: t("Edit data source"),
        remove: t("Delete data source"),
        missing: (key) => t("Data source {name} was not found in project {project}.", key),
      }
    case "budgetadjustments":
      return {
        folder: "/budget-adjustments",
        list: { href: "/budget-adjustments", text: t("Budget adjustments") },
        create: t("Create budget adjustment"),
        edit: t("Edit budget adjustment"),
        remove: t("Delete budget adjustment"),
        missing: (key) => t("Budget adjustment {name} was not found in project {project}.", key),
      }
  }
}
