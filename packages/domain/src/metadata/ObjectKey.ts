/** As the header `Organization` has it. */
export type OrganizationId = string

/** The kinds of definitions, spelled as in their `kind` property. */
export const kinds = [
  "Project",
  "Service",
  "SLO",
  "AlertPolicy",
  "AlertMethod",
  "AlertSilence",
  "DataSource",
  "BudgetAdjustment",
  "Report",
  "Agent",
  "Direct",
] as const

/** One of `kinds`; `kindFromText` parses other spellings. */
export type Kind = (typeof kinds)[number]

/** Kinds of the service's public clients that this service has nothing for, and what to use instead. */
export const foreignKinds: ReadonlyMap<string, string> = new Map([
  ["UserGroup", "the roles of credentials say who can change what: use tocsin credentials"],
  ["RoleBinding", "the roles of credentials say who can change what: use tocsin credentials"],
  ["DataExport", "read values with the API, or the database with tocsin export"],
])

/** Whether objects of a kind belong to the organization, and to no project. */
export const isOrganizationKind = (kind: string): kind is "Project" | "Report" =>
  kind === "Project" || kind === "Report"

/** Identifies an object within an organization. The `project` of a project or a report is `""`. */
export interface DefinitionKey {
  /** `Project` and `Report` belong to the organization, all others to a project. */
  readonly kind: Kind
  /** The name of the project that the object belongs to, or `""`. */
  readonly project: string
  /** Unique among objects of the same kind and project. */
  readonly name: string
}

/** Identifies an object of a known kind. */
export interface ProjectKey {
  /** The name of the project that the object belongs to. */
  readonly project: string
  /** Unique among objects of the same kind and project. */
  readonly name: string
}

/** Identifies a project itself. */
export const keyOfProject = (name: string) => ({ kind: "Project", project: "", name }) as const

/** A unique text per key, for maps; names cannot contain a slash. Keys of kinds without definitions have one too. */
export const definitionKeyText = (key: Omit<DefinitionKey, "kind"> & { readonly kind: string }): string =>
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

/** The short names of kinds. */
export const kindShortNames: Readonly<Record<Kind, string>> = {
  Project: "proj",
  Service: "svc",
  SLO: "slo",
  AlertPolicy: "ap",
  AlertMethod: "am",
  AlertSilence: "as",
  DataSource: "ds",
  BudgetAdjustment: "ba",
  Report: "rep",
  Agent: "agt",
  Direct: "drt",
}

/** Every name of a kind that `kindFromText` knows, plurals first. */
export const kindNames = (): Iterable<string> => kindByText.keys()

/** Parses a kind in a URL path: in any case, singular, plural or short. */
export const kindFromText = (text: string): Kind | undefined => kindByText.get(text.toLowerCase())

const kindByText: ReadonlyMap<string, Kind> = new Map(
  kinds.flatMap((kind) => {
    const singular = kind.toLowerCase()
    const plural = singular.endsWith("y") ? `${singular.slice(0, -1)}ies` : `${singular}s`
    return [
      [plural, kind],
      [singular, kind],
      [kindShortNames[kind], kind],
    ] as const
  }),
)
