import type { ProjectMetadata } from "../metadata/Metadata.ts"

/** A service whose behaviour SLOs describe. Source: decision 0602. */
export interface Service {
  readonly kind: "Service"
  readonly metadata: ProjectMetadata
  readonly spec: { readonly description?: string }
}
