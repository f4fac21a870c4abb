import { described, type TypeOf } from "../codec/Codec.ts"
import { list, object, optional } from "../codec/Containers.ts"
import { definitionOf } from "../metadata/Envelope.ts"
import type { KindDescription } from "../metadata/KindDescription.ts"
import { description, displayName, metadata, nameOf, namePattern, objectName } from "../metadata/Metadata.ts"

/** Longest slug of a status page, in characters. */
const statusPageSlugMaxCharacters = 63

/** Whether a status page can have this slug. */
export const isStatusPageSlug = (text: string): boolean =>
  text.length <= statusPageSlugMaxCharacters && namePattern.test(text)

/** Most components of a status page. */
export const statusPageComponentsMax = 50

const component = object({
  service: described(objectName, "Name of a service of the project"),
  displayName: optional(described(displayName, "Default: that of the service")),
})

const statusPage = object({
  slug: described(nameOf(statusPageSlugMaxCharacters), "The page is at /status/{slug}. Unique on the server"),
  title: optional(described(displayName, "Default: the display name of the project")),
  description: optional(description),
  components: optional(
    described(
      list(component, {
        min: 1,
        max: statusPageComponentsMax,
        distinct: { by: ({ service }) => service, at: "service" },
      }),
      "What the page shows, in this order. Default: all services that have SLOs, by name",
    ),
  ),
})

/** What a project publishes about its services. */
export type StatusPage = TypeOf<typeof statusPage>

const project = definitionOf("Project", {
  identifier: "ProjectDefinition",
  metadata,
  spec: object(
    {
      description: optional(description),
      statusPage: optional(
        described(statusPage, "A page that anyone can read without signing in. Absent: the project has none"),
      ),
    },
    // Clients send these back as they received them.
    { ignored: ["createdAt", "createdBy"] },
  ),
  isSpecOptional: true,
})

export type Project = TypeOf<typeof project>

/** The project that always exists, and the default of the CLI. */
export const defaultProjectName = "default"

/** A project of which nothing is said but the name. */
export const emptyProject = (name: string): Project => ({ kind: "Project", metadata: { name }, spec: {} })

/** The project `default` until it is applied. */
export const defaultProject: Project = emptyProject(defaultProjectName)

/** Identifies a project itself. */
export const keyOfProject = (name: string) => ({ kind: "Project", project: "", name }) as const

export const isDefaultProject = ({ kind, name }: { readonly kind: string; readonly name: string }): boolean =>
  kind === "Project" && name === defaultProjectName

export const projectKind = {
  kind: "Project",
  shortName: "proj",
  words: "a project",
  home: "organization",
  codec: project,
  name: objectName,
} as const satisfies KindDescription<Project>
