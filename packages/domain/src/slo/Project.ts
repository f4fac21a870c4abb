import type { Metadata } from "../metadata/Metadata.ts"

/** A project: the owner of every other object. Source: decision 0602. */
export interface Project {
  readonly kind: "Project"
  readonly metadata: Metadata
  readonly spec: { readonly description?: string }
}

/** The project that always exists, and that an object without one is given. Source: contract section 2.1. */
export const defaultProjectName = "default"

/** What that project is as long as nobody has applied another description of it. */
export const defaultProject: Project = {
  kind: "Project",
  metadata: { name: defaultProjectName },
  spec: {},
}
