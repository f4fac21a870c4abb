import { object, list, optional } from "../codec/Containers.ts"
import { string } from "../codec/Leaves.ts"
import { displayName } from "../metadata/Metadata.ts"

/** Most attachments of an SLO. */
const attachmentsMax = 20

/** Longest URL of an attachment, in characters. */
const attachmentUrlMaxCharacters = 2_048

/** Links to documents about an SLO, such as a runbook. */
export const attachments = list(
  object({
    url: string({
      max: attachmentUrlMaxCharacters,
      format: {
        pattern: /^https?:\/\/[^\s/?#]+\S*$/,
        message: "must be a URL that begins with https:// or http://",
      },
    }),
    displayName: optional(displayName),
  }),
  { max: attachmentsMax },
)
