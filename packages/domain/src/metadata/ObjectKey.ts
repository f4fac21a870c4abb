/** As the header `Organization` has it. */
export type OrganizationId = string

/** Identifies an object of a known kind. */
export interface ProjectKey {
  /** The name of the project that the object belongs to. */
  readonly project: string
  /** Unique among objects of the same kind and project. */
  readonly name: string
}

/** A unique text per key, for maps; names cannot contain a slash. Keys of kinds without definitions have one too. */
export const definitionKeyText = (key: ProjectKey & { readonly kind: string }): string =>
  `${key.kind}/${key.project}/${key.name}`

/** The order of lists: project, then name, by code point, as names are ASCII. */
export const compareProjectKeys = (a: ProjectKey, b: ProjectKey): number =>
  compareTexts(a.project, b.project) || compareTexts(a.name, b.name)

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** A unique text per object of one kind, for maps: `project/name`. */
export const projectKeyText = ({ project, name }: ProjectKey): string => `${project}/${name}`

/**
 * A unique text per object of one kind in all organizations, for maps; IDs of organizations cannot contain a
 * space.
 */
export const organizationKeyText = (organization: OrganizationId, key: ProjectKey): string =>
  `${organization} ${projectKeyText(key)}`
