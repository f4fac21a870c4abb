/** The ID of an organization, as the header `Organization` carries it. */
export type OrganizationId = string

/** The kinds of object that a definition can describe. */
export const kinds = ["Project", "Service", "SLO", "AlertPolicy", "AlertMethod", "AlertSilence"] as const

/** One of the kinds of object that a definition can describe. */
export type Kind = (typeof kinds)[number]

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

/** One text for each key, for maps; a project's name and an object's cannot contain a slash. */
export const definitionKeyText = (key: DefinitionKey): string => `${key.kind}/${key.project}/${key.name}`

/** One text for each object of a kind, for maps. */
export const projectKeyText = ({ project, name }: ProjectKey): string => `${project}/${name}`

/** One text for each object of a kind of all organizations, for maps; an organization's ID has no blank. */
export const organizationKeyText = (organization: OrganizationId, key: ProjectKey): string =>
  `${organization} ${projectKeyText(key)}`

/** Reads a kind as a path names it: in any letter case, singular or plural. Source: spec/definitions §12. */
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
