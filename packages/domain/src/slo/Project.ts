import type { TypeOf } from "../codec/Codec.ts"
import { definitionOf } from "../metadata/Envelope.ts"
import { descriptionSpec, metadata } from "../metadata/Metadata.ts"

/** A project: the owner of every other object. */
export const project = definitionOf("Project", {
  identifier: "ProjectDefinition",
  metadata,
  spec: descriptionSpec,
  isSpecOptional: true,
})

/** A project: the owner of every other object. */
export type Project = TypeOf<typeof project>

/** The project that always exists, and that an object without one is given. */
export const defaultProjectName = "default"

/** What that project is as long as nobody has applied another description of it. */
export const defaultProject: Project = {
  kind: "Project",
  metadata: { name: defaultProjectName },
  spec: {},
}
