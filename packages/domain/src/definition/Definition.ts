import type { AlertMethod, AlertMethodDraft } from "../alert-method/AlertMethod.ts"
import type { AlertPolicy } from "../alerting/AlertPolicy.ts"
import type { AlertSilence } from "../alerting/AlertSilence.ts"
import type { Project } from "../slo/Project.ts"
import type { Service } from "../slo/Service.ts"
import type { Slo } from "../slo/Slo.ts"

/** The ID of an organization, as the header `Organization` carries it. Source: contract section 4. */
export type OrganizationId = string

/** The kinds of object that a definition can describe. Source: decisions 0602 and 0610. */
export const kinds = ["Project", "Service", "SLO", "AlertPolicy", "AlertMethod", "AlertSilence"] as const

/** One of the kinds of object that a definition can describe. */
export type Kind = (typeof kinds)[number]

/** Labels of an object: each key with its values, of which there may be none. Source: contract section 2.2. */
export type Labels = Readonly<Record<string, ReadonlyArray<string>>>

/** Annotations of an object. Source: contract section 2.1. */
export type Annotations = Readonly<Record<string, string>>

/** What every definition says of itself; empty maps are left out. Source: contract section 2.1. */
export interface Metadata {
  readonly name: string
  readonly displayName?: string
  readonly labels?: Labels
  readonly annotations?: Annotations
}

/** The metadata of an object that a project owns. */
export interface ProjectMetadata extends Metadata {
  readonly project: string
}

/** Any definition, decoded: every rule of its kind holds. */
export type Definition = Project | Service | Slo | AlertPolicy | AlertMethod | AlertSilence

/** The definition of one kind. */
export type DefinitionOf<K extends Kind> = Extract<Definition, { readonly kind: K }>

/** What names an object within an organization. A project belongs to no project: its `project` is `""`. */
export interface DefinitionKey {
  readonly kind: Kind
  readonly project: string
  readonly name: string
}

/** What names an object of a known kind: its project and its name. */
export interface ProjectKey {
  readonly project: string
  readonly name: string
}

/** The key of a definition, of one with hidden values too. */
export const definitionKey = (definition: Definition | AlertMethodDraft): DefinitionKey => ({
  kind: definition.kind,
  project: definition.kind === "Project" ? "" : definition.metadata.project,
  name: definition.metadata.name,
})

/** One text for each key, for maps; a project's name and an object's cannot contain a slash. */
export const definitionKeyText = (key: DefinitionKey): string => `${key.kind}/${key.project}/${key.name}`

/** One text for each object of a kind, for maps. */
export const projectKeyText = ({ project, name }: ProjectKey): string => `${project}/${name}`

/** One text for each object of a kind of all organizations, for maps; an organization's ID has no blank. */
export const organizationKeyText = (organization: OrganizationId, key: ProjectKey): string =>
  `${organization} ${projectKeyText(key)}`

/** Reads a kind as a path names it: in any letter case, singular or plural. Source: decision 0600. */
export const kindFromText = (text: string): Kind | undefined => kindByText.get(text.toLowerCase())

const kindByText: ReadonlyMap<string, Kind> = new Map(
  kinds.flatMap((kind) => {
    const singular = kind.toLowerCase()
    const plural = singular.endsWith("y") ? `${singular.slice(0, -1)}ies` : `${singular}s`
    return [
      [singular, kind],
      [plural, kind],
    ] as const
  }),
)
