import type { TypeOf } from "../codec/Codec.ts"
import { definitionOf } from "../metadata/Envelope.ts"
import { descriptionSpec, metadata } from "../metadata/Metadata.ts"

export const project = definitionOf("Project", {
  identifier: "ProjectDefinition",
  metadata,
  spec: descriptionSpec,
  isSpecOptional: true,
})

export type Project = TypeOf<typeof project>

/** The project that always exists, and the default of the CLI. */
export const defaultProjectName = "default"

/** The project `default` until it is applied. */
export const defaultProject: Project = {
  kind: "Project",
  metadata: { name: defaultProjectName },
  spec: {},
}
