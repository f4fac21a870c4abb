import type { TypeOf } from "../codec/Codec.ts"
import { definitionOf } from "../metadata/Envelope.ts"
import { descriptionSpec, objectName, projectMetadata } from "../metadata/Metadata.ts"

export const service = definitionOf("Service", {
  identifier: "ServiceDefinition",
  metadata: projectMetadata(objectName),
  spec: descriptionSpec,
  isSpecOptional: true,
})

export type Service = TypeOf<typeof service>
